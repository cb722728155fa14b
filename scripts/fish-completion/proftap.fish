# fish completion of proftap: the program itself says how a line can go on.
function __proftap_complete
	set -l words (commandline -opc)
	set -l proftap $words[1]
	set -e words[1]
	set -l found ($proftap complete -- $words (commandline -ct) 2>/dev/null)
	if test (count $found) -eq 0
		__fish_complete_path (commandline -ct)
	else
		printf '%s\n' $found
	end
end
complete -c proftap -f -k -a '(__proftap_complete)'
