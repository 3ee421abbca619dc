--TEST--
A forked child is a request of its own
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
extension_loaded('pcntl') || die('skip needs pcntl');
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$run = run('
function before() {}
function child() { usleep(1000); }
function parent() {}
usleep(5000);
before();
$pid = pcntl_fork();
if ($pid === 0) { child(); child(); exit(0); }
pcntl_waitpid($pid, $status);
parent();
', ['watch' => 'all']);
echo count($run->traces), $run->traces[0]->pid === $run->traces[1]->pid ? ' same' : ' different', " processes\n";
foreach ($run->traces as $trace) {
    show_totals($trace);
    echo "--\n";
    $starts = array_column($trace->calls, 'start');
    $begins = array_filter($run->hits, fn ($hit) => $hit[0] === 'cli_request_init' && $hit[1] === $trace->pid);
    echo min($starts) >= $trace->begin['monotonic'] ? 'within its request' : 'before it', ', ';
    echo abs(array_sum(array_column($trace->functions, 'self')) - end($trace->calls)['elapsed']), ' ns missing, ';
    echo count($begins), " beginning\n--\n";
}

$run = run('
$process = proc_open(["true"], [], $pipes);
proc_close($process);
', ['watch' => 'all']);
echo count($run->traces), " trace where a program is run\n";
echo implode("\n", array_column($run->hits, 0)), "\n";
?>
--EXPECT--
2 different processes
before 1 < script.php 1
parent 1 < script.php 1
pcntl_fork 1 < script.php 1
pcntl_waitpid 1 < script.php 1
script.php 1
usleep 1 < script.php 1
--
within its request, 0 ns missing, 1 beginning
--
child 2 < script.php 2
pcntl_fork 1 < script.php 1
script.php 1
usleep 2 < child 2
--
within its request, 0 ns missing, 1 beginning
--
1 trace where a program is run
cli_request_init
cli_function
cli_function
cli_function
cli_request_shutdown
