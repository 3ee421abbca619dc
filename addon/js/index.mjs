// SPDX-License-Identifier: Apache-2.0
// node --import .../index.mjs
import './start.cjs';
