/* The part of vars.c that is C++. */
namespace drive {
enum class gear : signed char { reverse = -1, neutral, first };
struct base { int serial; };
class axle : public base {
public:
	static int count;
	gear now;
	short load;
};
int axle::count = 6;
axle front = {};
namespace inner { int depth = 2; }
}
namespace { volatile int hidden_away = 8; }

extern "C" int use_hidden() { return hidden_away; }
