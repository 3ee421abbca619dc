<?php // SPDX-License-Identifier: Apache-2.0 ?>
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title><?= $this->escape($title) ?> · Harbour Books</title></head>
<body>
<h1><?= $this->escape($title) ?></h1>
<nav><a href="/">New</a> <a href="/shelves">Shelves</a> <a href="/search?q=sea">Search</a> <a href="/report">Report</a></nav>
<?= $content ?>
</body>
</html>
