<?php // SPDX-License-Identifier: Apache-2.0 ?>
<ol>
<?php foreach ($words as $word => $weight): ?>
<li><?= $this->escape((string) $word) ?>: <?= (int) $weight ?></li>
<?php endforeach ?>
</ol>
