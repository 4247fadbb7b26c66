# Completes the commands of ./manage.py in bash, with .venv/bin first in PATH: source deploy/completion.bash
# Those of candor are completed by what `candor completion bash` prints.
_candor_management_commands() {
    COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD DJANGO_AUTO_COMPLETE=1 "$1" 2>/dev/null))
}
complete -o default -F _candor_management_commands ./manage.py manage.py
