# Completes the commands of candor and of manage.py, and their options, in bash:
#   source deploy/completion.bash
_candor_commands() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    if ((COMP_CWORD == 1)); then
        words=$("$1" --help | sed -n 's/^    \([a-z][a-z-]*\).*/\1/p')
    else
        words=$("$1" "${COMP_WORDS[1]}" --help | grep -oE -e '--[a-z][a-z0-9-]*' | sort -u)
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
_candor_management_commands() {
    COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD DJANGO_AUTO_COMPLETE=1 "$1" 2>/dev/null))
}
complete -o default -F _candor_commands candor
complete -o default -F _candor_management_commands ./manage.py manage.py
