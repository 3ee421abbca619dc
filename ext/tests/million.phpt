--TEST--
A million calls: exact, in order, in many blocks
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
getenv('COMPASS_TEST_VALGRIND') && die('skip slow under valgrind');
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$run = run('
function tiny($x) { return $x + 1; }
function even($x) { return tiny($x); }
for ($i = 0; $i < 250000; $i++) { tiny($i); even($i); crc32("a"); }
', ['ini' => ['compass.function_threshold' => '0', 'memory_limit' => '2G']]);
$trace = $run->trace();
show_totals($trace);
echo count($trace->calls), ' ', array_sum($trace->end) > 0 ? 'ended' : '', ' ', $trace->blocks > 700 ? 'many blocks' : $trace->blocks, "\n";
echo array_sum([$trace->end['calls'], $trace->end['functions'], $trace->end['callers']]), "\n";
echo abs(array_sum(array_column($trace->functions, 'self')) - end($trace->calls)['elapsed']), "\n";
?>
--EXPECT--
crc32 250000 < script.php 250000
even 250000 < script.php 250000
script.php 1
tiny 500000 < even 250000, script.php 250000
1000001 ended many blocks
0
0
