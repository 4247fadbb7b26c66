"""Prints a script that completes commands and options in a shell, generated from the parsers."""

from argparse import ArgumentParser, _SubParsersAction

from candor.commands.command_base import write_output

HELP = (
    "Print what completes the commands and their options in a shell; the names of files are completed too. "
    "bash: source <(candor completion bash). zsh: candor completion zsh > a file _candor in a folder of fpath. "
    "fish: candor completion fish > ~/.config/fish/completions/candor.fish."
)

BASH = """\
_candor() {{
    local words word=${{COMP_WORDS[COMP_CWORD]}}
    case ${{COMP_WORDS[1]}} in
{cases}
    *) words="{commands}" ;;
    esac
    ((COMP_CWORD == 1)) && words="{commands}"
    COMPREPLY=()
    if ((COMP_CWORD == 1)) || [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    fi
}}
complete -o default -F _candor candor
"""
ZSH = """\
#compdef candor
if ((CURRENT == 2)); then
    local -a commands=({commands})
    _describe command commands
else
    case ${{words[2]}} in
{cases}
    esac
    _files
fi
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def run(shell: str, parser: ArgumentParser) -> None:
    write_output(
        [
            {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[shell](
                help_and_options_by_command(parser)
            )
        ]
    )


def help_and_options_by_command(parser: ArgumentParser) -> dict[str, tuple[str, list[str]]]:
    """Returns the help text and the options of each command."""
    (commands,) = (action for action in parser._actions if isinstance(action, _SubParsersAction))
    helps = {str(choice.dest): choice.help or "" for choice in commands._choices_actions}
    return {
        name: (helps[name], [word for word in command._option_string_actions if word.startswith("--")])
        for name, command in commands.choices.items()
    }


def bash_script(commands: dict[str, tuple[str, list[str]]]) -> str:
    cases = [f'    {name}) words="{" ".join(options)}" ;;' for name, (_help, options) in commands.items()]
    return BASH.format(cases="\n".join(cases), commands=" ".join(commands))


def zsh_script(commands: dict[str, tuple[str, list[str]]]) -> str:
    cases = [f"    {name}) compadd -- {' '.join(options)} ;;" for name, (_help, options) in commands.items()]
    listed = " ".join(f"'{name}:{text}'" for name, (text, _options) in commands.items())
    return ZSH.format(cases="\n".join(cases), commands=listed)


def fish_script(commands: dict[str, tuple[str, list[str]]]) -> str:
    lines = []
    for name, (text, options) in commands.items():
        lines.append(f"complete -c candor -n __fish_use_subcommand -f -a {name} -d '{text}'")
        for option in options:
            seen = f"'__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c candor -n {seen} -l {option.removeprefix('--')}")
    return "\n".join((*lines, ""))
