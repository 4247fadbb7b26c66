# Completes the commands of manage.py and their options in bash, by Django's own list of them:
#   source deploy/completion.bash
_candor_commands() {
    COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD DJANGO_AUTO_COMPLETE=1 "$1" 2>/dev/null))
}
complete -o default -F _candor_commands ./manage.py manage.py
