# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts: usage LEAST MOST "$@" holds their arguments against how many there may be. Asked for --help it
# prints the comment at the script's head and ends the script; wrong arguments end it with 2, and a sentence that says why.

usage() {
    local least=$1 most=$2 name=${0##*/} range=$1
    shift 2
    case ${1-} in
    -h | --help)
        awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
        exit 0
        ;;
    -*) echo "$name: no option $1; $name --help says what it takes" >&2 ;;
    *)
        [ $# -lt "$least" ] || [ $# -gt "$most" ] || return 0
        [ "$least" -eq "$most" ] || range="$least to $most"
        [ "$most" -lt 99 ] || range="$least or more"
        echo "$name: it takes $range arguments, not $#; $name --help says which" >&2
        ;;
    esac
    exit 2
}
