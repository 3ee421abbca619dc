<?php
// SPDX-License-Identifier: Apache-2.0
// micro.php user|internal N: calls a tiny function N times; prints the nanoseconds of one turn of the loop.

namespace Compass\Bench;

function tiny(int $x): int
{
    return $x + 1;
}

[, $which, $n] = $argv;
$n = (int) $n;
$x = 0;
// 8 calls a turn, so that the loop itself hardly counts.
$start = hrtime(true);
if ($which === 'user') {
    for ($i = 0; $i < $n; $i += 8) {
        $x = tiny($x); $x = tiny($x); $x = tiny($x); $x = tiny($x);
        $x = tiny($x); $x = tiny($x); $x = tiny($x); $x = tiny($x);
    }
} else {
    $s = 'bench';
    for ($i = 0; $i < $n; $i += 8) {
        $x = \crc32($s); $x = \crc32($s); $x = \crc32($s); $x = \crc32($s);
        $x = \crc32($s); $x = \crc32($s); $x = \crc32($s); $x = \crc32($s);
    }
}
printf("%.3f\n", (hrtime(true) - $start) / $n);
