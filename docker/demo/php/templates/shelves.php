<?php // SPDX-License-Identifier: Apache-2.0 ?>
<ul>
<?php foreach ($shelves as $shelf): ?>
<li><?= $this->escape($shelf['name']) ?><?= $shelf['children'] ? $this->render('shelves', ['shelves' => $shelf['children']]) : '' ?></li>
<?php endforeach ?>
</ul>
