--TEST--
Drupal's cacheability: read at the end, identical ones once, bounded, nothing of it elsewhere
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
trim((string) shell_exec('command -v php-fpm8.2')) || die('skip needs php-fpm8.2');
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
require __DIR__ . '/support/fpm.inc';
$classes = '
namespace Drupal\Core\Cache {
class CacheableMetadata {
    protected $cacheContexts = []; protected $cacheTags = []; protected $cacheMaxAge = -1;
    public static function createFromRenderArray(array $build) {
        $meta = new static();
        $meta->cacheContexts = $build["contexts"] ?? []; $meta->cacheTags = $build["tags"] ?? []; $meta->cacheMaxAge = $build["age"] ?? -1;
        return $meta;
    }
    public static function createFromObject($object) {
        if ($object === null) { throw new \Exception("no object"); }
        $meta = new static(); $meta->cacheTags = ["o:" . (is_object($object) ? 1 : 0)]; $meta->cacheMaxAge = 0; return $meta;
    }
    public function __get($n) { echo "user code ran"; }
}
class Derived extends CacheableMetadata {}
}
namespace {
class Renderer { function render($b) { return Drupal\Core\Cache\CacheableMetadata::createFromRenderArray($b); } }
class Other { static function createFromObject($x) { return new stdClass; } static function createFromRenderArray($x) { return 1; } }
';
$fpm = new Fpm(['compass.function_threshold' => '1000000000'], 'all');
$bodies = [
    '$r = new Renderer; for ($i = 0; $i < 3; $i++) $r->render(["tags" => ["node:1", "user:2"], "contexts" => ["user", "url"], "age" => 60]);
     $r->render(["tags" => ["node:2"]]); Drupal\Core\Cache\CacheableMetadata::createFromObject(new ArrayObject); Drupal\Core\Cache\CacheableMetadata::createFromObject("text");
     Drupal\Core\Cache\Derived::createFromObject(new Renderer); Other::createFromObject(1); Other::createFromRenderArray(1);
     try { Drupal\Core\Cache\CacheableMetadata::createFromObject(null); } catch (Exception $e) { echo "caught"; }
     $r->render(["tags" => [1, "a", null, "b"], "contexts" => "wrong", "age" => "soon"]); $r->render(["tags" => [str_repeat("t", 9000), "rest"]]);',
    '$r = new Renderer; for ($i = 0; $i < 1500; $i++) $r->render(["tags" => ["node:$i"]]); $r->render(["tags" => ["node:7"]]);',
];
foreach ($bodies as $body) {
    echo trim(strstr($fpm->request("$classes $body }", ['HTTP_X_REQUEST_ID' => 'd', 'REQUEST_URI' => '/d']), "\r\n\r\n")), "\n";
}
$run = $fpm->stop();
foreach ($run->traces[0]->events as $event) {
    echo "$event[calls]x origin $event[origin] caller ", short($event['caller']), " age $event[age] type [$event[type]] tags [$event[tags]] contexts [$event[contexts]]\n";
}
foreach ($run->hits as $hit) {
    if (str_starts_with($hit[0], 'drupal') && ($seen = ($seen ?? 0) + 1) <= 10) {
        echo implode(' | ', array_map('short', $hit)), "\n";
    }
}
$trace = $run->traces[1];
echo count($trace->events), ' kept, ', $trace->end['events'], ' dropped, ', array_sum(array_column($trace->events, 'calls')), " events\n";
?>
--EXPECT--
caught

3x origin 1 caller Renderer::render age 60 type [] tags [node:1 user:2] contexts [user url]
1x origin 1 caller Renderer::render age -1 type [] tags [node:2] contexts []
1x origin 2 caller script.php age 0 type [ArrayObject] tags [o:1] contexts []
1x origin 2 caller script.php age 0 type [string] tags [o:0] contexts []
1x origin 2 caller script.php age 0 type [Renderer] tags [o:1] contexts []
1x origin 1 caller Renderer::render age -1 type [] tags [a b] contexts []
1x origin 1 caller Renderer::render age -1 type [] tags [] contexts []
drupal_cacheablemetadata_createfromrenderarray | d | Renderer::render | 60 | node:1 user:2 | user url
drupal_cacheablemetadata_createfromrenderarray | d | Renderer::render | 60 | node:1 user:2 | user url
drupal_cacheablemetadata_createfromrenderarray | d | Renderer::render | 60 | node:1 user:2 | user url
drupal_cacheablemetadata_createfromrenderarray | d | Renderer::render | -1 | node:2 | 
drupal_cacheablemetadata_createfromobject | d | script.php | 0 | ArrayObject | o:1 | 
drupal_cacheablemetadata_createfromobject | d | script.php | 0 | string | o:0 | 
drupal_cacheablemetadata_createfromobject | d | script.php | 0 | Renderer | o:1 | 
drupal_cacheablemetadata_createfromrenderarray | d | Renderer::render | -1 | a b | 
drupal_cacheablemetadata_createfromrenderarray | d | Renderer::render | -1 |  | 
drupal_cacheablemetadata_createfromrenderarray | d | Renderer::render | -1 | node:0 | 
1024 kept, 476 dropped, 1025 events
