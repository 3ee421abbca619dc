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
}
?>
--EXPECT--
2 different processes
before 1 < script.php 1
parent 1 < script.php 1
pcntl_fork 1 < script.php 1
pcntl_waitpid 1 < script.php 1
script.php 1
--
child 2 < script.php 2
pcntl_fork 1 < script.php 1
script.php 1
usleep 2 < child 2
--
