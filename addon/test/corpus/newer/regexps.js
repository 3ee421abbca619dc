// SPDX-License-Identifier: Apache-2.0
'use strict';
const { check } = require('../lib/check.cjs');
check('sets', () => ['a5b'.match(/[\w--\d]/gv), /[[a-z]&&[aeiou]]/v.exec('xe')[0], /^\p{RGI_Emoji}$/v.test('👍🏽'), /[\q{abc|d}]/v.exec('abc')[0]]);
check('flags', () => [/a/v.unicodeSets, ((x) => /[\/]/v.test(x))('/'), (() => /[\/\{]/v)().source]);
check('braces in sets', () => { const f = () => /[\{\}]/v; return f().test('}'); });
check('divisions', () => { const v = 2, a = 8; return ((x) => x /a/ v)(4); });
