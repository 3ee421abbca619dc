--TEST--
Output and exit status are those without the extension
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
$scripts = [
    'function f() { return debug_backtrace(); } print_r(array_map(fn ($x) => $x["function"], f())); echo "a";',
    'exit(5);', 'throw new Exception("x");', 'function f() { f(); } ini_set("memory_limit", "4M"); f();',
    'function g() { yield 1; yield 2; } foreach (g() as $v) echo $v; $f = new Fiber(function () { echo Fiber::suspend(1); }); echo $f->start(); $f->resume("r");',
    'ob_start(fn ($b) => strtoupper($b)); echo "text"; register_shutdown_function(function () { echo "bye"; });',
    'set_error_handler(function ($n, $m) { echo $m; return true; }); echo $undefined; echo memory_get_usage() > 0;',
    'class A { function __destruct() { echo "d"; } } $a = new A; $b = $a; unset($a); echo get_class($b); ',
    'print_r($_SERVER["argv"][1]); print_r(array_keys($GLOBALS)); echo count(get_defined_functions()["user"]);',
    'trigger_error("fatal", E_USER_ERROR);', 'file_put_contents("php://stderr", "err"); echo PHP_VERSION;',
];
foreach ($scripts as $i => $code) {
    $path = sys_get_temp_dir() . '/compass-unchanged-' . getmypid() . '.php';
    file_put_contents($path, "<?php\n$code");
    $plain = run('', ['script' => $path, 'arguments' => ['x'], 'extension' => false]);
    foreach (['http_function', 'all'] as $watch) {
        $ours = run('', ['script' => $path, 'arguments' => ['x'], 'watch' => $watch]);
        if ([$plain->output, $plain->errors, $plain->status] !== [$ours->output, $ours->errors, $ours->status]) {
            echo "script $i, $watch: ";
            var_dump($plain->output, $ours->output, $plain->errors, $ours->errors, $plain->status, $ours->status);
        }
    }
    unlink($path);
}
echo "done\n";
?>
--EXPECT--
done
