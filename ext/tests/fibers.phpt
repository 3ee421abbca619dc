--TEST--
Each fiber has a stack of its own; a suspended call is not charged with the time of others
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
function task($ms) { usleep($ms * 1000); pause(); usleep($ms * 1000); }
function pause() { Fiber::suspend(); }
$one = new Fiber("task");
$two = new Fiber("task");
$one->start(10);
$two->start(400);
$one->resume();
$two->resume();
');
$trace = $run->trace();
show_tree($trace);
check($trace, fibers: true);
// Charged with the other's sleep, a task would have 400 ms more; a slow machine takes less.
$tasks = array_values(array_filter(in_order($trace), fn ($call) => $call['name'] === 'task'));
$sleeps = array_values(array_filter(in_order($trace), fn ($call) => $call['name'] === 'usleep'));
foreach ($tasks as $i => $task) {
    $own = $sleeps[$i]['elapsed'] + $sleeps[$i + 2]['elapsed'];
    echo "task $i ", $task['elapsed'] >= $own && $task['elapsed'] < $own + 200e6 ? 'has its own time' : "$task[elapsed] for $own", "\n";
}
$f = $trace->functions;
echo "suspended ", $f['Fiber::suspend']['elapsed'] < 200e6 ? 'free of charge' : $f['Fiber::suspend']['elapsed'], "\n";
echo "starting ", $f['Fiber::start']['elapsed'] >= 410e6 && $f['Fiber::start']['self'] < 200e6 ? 'waits for the fiber' : json_encode($f['Fiber::start']), "\n";
echo "callers ", implode(' ', array_keys($f['task']['callers'])), ' ', implode(' ', array_keys($f['pause']['callers'])), "\n";
?>
--EXPECT--
script.php
  Fiber::__construct
  Fiber::__construct
  Fiber::start
    task
      usleep
      pause
        Fiber::suspend
  Fiber::start
    task
      usleep
      pause
        Fiber::suspend
  Fiber::resume
      usleep
  Fiber::resume
      usleep
consistent
task 0 has its own time
task 1 has its own time
suspended free of charge
starting waits for the fiber
callers Fiber::start task
