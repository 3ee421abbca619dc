--TEST--
Fibers in fibers, abandoned ones, exceptions and exit across them
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
function leaf($v) { return Fiber::suspend($v); }
function inner() { leaf(1); leaf(2); }
function outer() { $f = new Fiber("inner"); $f->start(); leaf("o"); $f->resume(); $f->resume(); }
$f = new Fiber("outer");
$f->start();
$f->resume();
');
echo "--- nested\n";
show_tree($run->trace());
check($run->trace(), fibers: true);
$run = run('
function waits() { try { Fiber::suspend(); } finally { cleanup(); } }
function cleanup() {}
function abandon() { $f = new Fiber("waits"); $f->start(); }
abandon();
$kept = new Fiber("waits");
$kept->start();
');
echo "--- abandoned\n";
show_tree($run->trace());
check($run->trace(), fibers: true, late: true);
$run = run('
function fails() { Fiber::suspend(); throw new Exception("f"); }
function leaves() { nested(); }
function nested() { exit(0); }
$f = new Fiber("fails"); $f->start();
try { $f->resume(); } catch (Exception $e) {}
$g = new Fiber("leaves"); $g->start();
');
echo "--- exception and exit\n";
show_tree($run->trace());
check($run->trace(), fibers: true);
$run = run('
function boom() { deeper(); }
function deeper() { trigger_error("stop", E_USER_ERROR); }
function sleeper() { Fiber::suspend(); }
function bye() {}
register_shutdown_function("bye");
$s = new Fiber("sleeper"); $s->start();
$f = new Fiber("boom"); $f->start();
', ['ini' => ['display_errors' => '0']]);
echo "--- fatal error in a fiber: $run->status\n";
show_totals($run->traces[0]);
check($run->traces[0], fibers: true);
$run = run('
function many() { for ($i = 0; $i < 5; $i++) { Fiber::suspend(); step(); } }
function step() {}
$fibers = [];
for ($i = 0; $i < 2000; $i++) { $fibers[$i] = new Fiber("many"); $fibers[$i]->start(); }
for ($j = 0; $j < 5; $j++) { foreach ($fibers as $f) $f->resume(); }
');
echo "--- 2000 at once\n";
show_totals($run->trace());
check($run->trace(), fibers: true);
$run = run('
function down($n) { return $n > 0 ? down($n - 1) : Fiber::suspend(); }
$f = new Fiber(fn () => down(5000)); $f->start(); down2(5); $f->resume();
function down2($n) { return $n > 0 ? down2($n - 1) : 0; }
');
echo "--- deep\n";
show_totals($run->trace());
check($run->trace(), fibers: true);
?>
--EXPECT--
--- nested
script.php
  Fiber::__construct
  Fiber::start
    outer
      Fiber::__construct
      Fiber::start
        inner
          leaf
            Fiber::suspend
      leaf
        Fiber::suspend
  Fiber::resume
      Fiber::resume
          leaf
            Fiber::suspend
      Fiber::resume
consistent
--- abandoned
script.php
  abandon
    Fiber::__construct
    Fiber::start
      waits
        Fiber::suspend
        cleanup
  Fiber::__construct
  Fiber::start
    waits
      Fiber::suspend
      cleanup
consistent
--- exception and exit
script.php
  Fiber::__construct
  Fiber::start
    fails
      Fiber::suspend
  Fiber::resume
      Exception::__construct
  Fiber::__construct
  Fiber::start
    leaves
      nested
consistent
--- fatal error in a fiber: 255
Fiber::__construct 2 < script.php 2
Fiber::start 2 < script.php 2
Fiber::suspend 1 < sleeper 1
boom 1 < Fiber::start 1
bye 1
deeper 1 < boom 1
register_shutdown_function 1 < script.php 1
script.php 1
sleeper 1 < Fiber::start 1
trigger_error 1 < deeper 1
consistent
--- 2000 at once
Fiber::__construct 2000 < script.php 2000
Fiber::resume 10000 < script.php 10000
Fiber::start 2000 < script.php 2000
Fiber::suspend 10000 < many 10000
many 2000 < Fiber::start 2000
script.php 1
step 10000 < many 10000
consistent
--- deep
Fiber::__construct 1 < script.php 1
Fiber::resume 1 < script.php 1
Fiber::start 1 < script.php 1
Fiber::suspend 1 < down 1
down 5001 < down 5000, {closure}:script.php:4 1
down2 6 < down2 5, script.php 1
script.php 1
{closure}:script.php:4 1 < Fiber::start 1
consistent
