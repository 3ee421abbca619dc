<?php // SPDX-License-Identifier: Apache-2.0 ?>
<ul>
<?php foreach ($books as $book): ?>
<?= $this->render('card', ['book' => $book]) ?>
<?php endforeach ?>
</ul>
