--TEST--
A block is handed over when it is 100 ms old, at the end of any call
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$run = run('
function fast() {}
function slow() { usleep(2000); }
slow();
echo memory_get_usage() > 0, "\n";
usleep(150000);
fast();
slow();
', ['ini' => ['compass.function_threshold' => '1000000']]);
$trace = $run->trace();
echo $trace->blocks >= 2 ? 'several' : 'too few', " blocks\n";
show_totals($trace);
echo implode(' ', array_map('short', array_column($trace->calls, 'name'))), "\n";
?>
--EXPECT--
several blocks
fast 1 < script.php 1
memory_get_usage 1 < script.php 1
script.php 1
slow 2 < script.php 2
usleep 3 < script.php 1, slow 2
usleep slow usleep usleep slow script.php
