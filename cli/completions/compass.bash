# SPDX-License-Identifier: Apache-2.0
_compass() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}

    COMPREPLY=()
    case $before in
    -o | --output) mapfile -t COMPREPLY < <(compgen -W "json summary" -- "$word") ;;
    --ca-file | --token-file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    -u | --uri) mapfile -t COMPREPLY < <(compgen -W "http:// https:// extension:/// file:///" -- "$word") ;;
    -t | --token | --max-traces | --max-bytes | -n | --count) ;;
    *)
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "--uri --token --token-file --ca-file --insecure-skip-verify
                --max-traces --max-bytes --output --count --help --version" -- "$word")
        elif ((COMP_CWORD == 1)); then
            mapfile -t COMPREPLY < <(compgen -W "convert check" -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        ;;
    esac
}
complete -o filenames -F _compass compass
