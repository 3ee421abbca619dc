--TEST--
opcache on and off, JIT, preloading: the same calls
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
is_file(ini_get('extension_dir') . '/opcache.so') || die('skip needs opcache');
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$code = '
function add($a, $b) { return sum($a, $b); }
function sum($a, $b) { return $a + $b; }
class P { public static function twice($x) { return add($x, $x); } }
$s = 0;
for ($i = 0; $i < 300; $i++) { $s = P::twice($i) + crc32("$i") * 0; }
echo $s, "\n";
';
$opcache = ['zend_extension' => 'opcache', 'opcache.enable_cli' => '1'];
$settings = ['off' => [], 'on' => $opcache + ['opcache.jit' => 'disable'],
             'tracing' => $opcache + ['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M', 'opcache.jit_hot_loop' => '10', 'opcache.jit_hot_func' => '10'],
             'function' => $opcache + ['opcache.jit' => 'function', 'opcache.jit_buffer_size' => '16M']];
foreach ($settings as $name => $ini) {
    $run = run($code . ($name === 'tracing' || $name === 'function' ? 'fwrite(STDERR, var_export(opcache_get_status()["jit"]["on"], true));' : ''), ['ini' => $ini]);
    echo "--- $name $run->output$run->errors\n";
    $trace = $run->trace();
    foreach (['P::twice', 'add', 'sum', 'crc32'] as $function) {
        $totals = $trace->functions[$function];
        echo $function, ' ', $totals['calls'], ' < ', short(implode(' ', array_keys($totals['callers']))), "\n";
    }
    check($trace);
}
$preload = sys_get_temp_dir() . '/compass-preload-' . getmypid() . '.php';
file_put_contents($preload, '<?php class Preloaded { static function go($n) { return $n > 0 ? self::go($n - 1) : helper(); } } function helper() { return 1; } helper();');
$run = run('echo Preloaded::go(3), "\n"; helper();', ['watch' => 'all', 'ini' => $opcache + ['opcache.preload' => $preload, 'opcache.preload_user' => get_current_user(), 'user_ini.filename' => '']]);
unlink($preload);
echo "--- preloaded $run->output", count($run->traces), "\n";
show_tree($run->trace());
check($run->trace());
?>
--EXPECT--
--- off 598

P::twice 300 < script.php
add 300 < P::twice
sum 300 < add
crc32 300 < script.php
consistent
--- on 598

P::twice 300 < script.php
add 300 < P::twice
sum 300 < add
crc32 300 < script.php
consistent
--- tracing 598
true
P::twice 300 < script.php
add 300 < P::twice
sum 300 < add
crc32 300 < script.php
consistent
--- function 598
true
P::twice 300 < script.php
add 300 < P::twice
sum 300 < add
crc32 300 < script.php
consistent
--- preloaded 1
1
script.php
  Preloaded::go
    Preloaded::go
      Preloaded::go
        Preloaded::go
  helper
consistent
