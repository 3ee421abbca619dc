--TEST--
A recursive function: every call counted, its inclusive time once
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$trace = run('
function a($n) { return $n > 0 ? b($n - 1) : 0; }
function b($n) { return $n > 0 ? a($n - 1) : 0; }
function self($n) { usleep(1000); if ($n > 0) self($n - 1); }
a(5);
self(4);
')->trace();
show_tree($trace);
show_totals($trace);
check($trace);
$self = $trace->functions['self'];
$outermost = max(array_map(fn ($call) => $call['name'] === 'self' ? $call['elapsed'] : 0, $trace->calls));
var_dump($self['elapsed'] === $outermost, $self['callers']['self']['elapsed'] < $self['elapsed'] * 4);
?>
--EXPECT--
script.php
  a
    b
      a
        b
          a
            b
  self
    usleep
    self
      usleep
      self
        usleep
        self
          usleep
          self
            usleep
a 3 < b 2, script.php 1
b 3 < a 3
script.php 1
self 5 < script.php 1, self 4
usleep 5 < self 5
consistent
bool(true)
bool(true)
