"""pytest fixtures for boards of a proftap daemon. pip install finds them; else: pytest -p pytest_proftap

    def test_budget(proftap_board):                 # the board of --proftap-board
        report = proftap_board.profile(2.0)
        assert report.function("control_step").interval("net_share").high < 0.30

    def test_boot(proftap_profile):                 # profiled while it runs; the table is in the report of a test that fails
        send_a_thousand_frames()
        assert proftap_profile.stop().lost_ns == 0

License GPL-3.0-or-later."""
import pytest

import proftap


def pytest_addoption(parser):
    group = parser.getgroup("proftap", "boards of a proftap daemon")
    group.addoption("--proftap-board", metavar="NAME", help="the board of the fixture proftap_board; not needed if there is only one")
    group.addoption("--proftap-door", metavar="ADDR", help="the daemon: unix:PATH of its control socket, or http://HOST:PORT to look")


@pytest.fixture(scope="session")
def proftap_board(pytestconfig):
    """The board, attached."""
    door, name = pytestconfig.getoption("--proftap-door"), pytestconfig.getoption("--proftap-board")
    if name is None:
        names = [board["name"] for board in proftap.boards(door)]
        if len(names) != 1:
            pytest.fail(f"--proftap-board NAME is missing: this daemon has {', '.join(names) or 'no board'}", pytrace=False)
        name = names[0]
    board = proftap.Board(name, door)
    board.wait_attached()
    return board


def _stop(board):
    if board.status()["profile"]["state"] == "running":
        board.monitor("profile", "stop")


@pytest.fixture
def proftap_profile(proftap_board):
    """The board, with a profile that starts just before the test and ends behind it, unless the test stops it."""
    proftap_board.start()
    yield proftap_board
    _stop(proftap_board)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that failed shows what ran meanwhile."""
    report = (yield).get_result()
    board = item.funcargs.get("proftap_profile") if hasattr(item, "funcargs") else None
    if call.when == "call" and report.failed and board is not None:
        _stop(board)
        report.sections.append(("proftap", board.monitor("profile", "report")))
