// SPDX-License-Identifier: Apache-2.0
'use strict';
// Next shortens the names of functions that run on the server only, too, unless it is told not to.
module.exports = { experimental: { serverMinification: false } };
