<?php // SPDX-License-Identifier: Apache-2.0 ?>
<p><?= $this->escape($message) ?></p>
