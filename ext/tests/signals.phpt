--TEST--
A signal handler is a call in the middle of what it interrupts
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
$trace = run('
function on_signal($number) { handled(); }
function handled() {}
function busy() { posix_kill_self(); tick(); }
function posix_kill_self() { proc_self(); }
function proc_self() { exec("kill -USR1 " . getmypid()); }
function tick() {}
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, "on_signal");
busy();
')->trace();
show_totals($trace);
check($trace);
?>
--EXPECT--
busy 1 < script.php 1
exec 1 < proc_self 1
getmypid 1 < proc_self 1
handled 1 < on_signal 1
on_signal 1 < proc_self 1
pcntl_async_signals 1 < script.php 1
pcntl_signal 1 < script.php 1
posix_kill_self 1 < busy 1
proc_self 1 < posix_kill_self 1
script.php 1
tick 1 < busy 1
consistent
