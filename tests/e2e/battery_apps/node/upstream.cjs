// SPDX-License-Identifier: Apache-2.0
// Another server answers late.
'use strict';

exports.answer = async function tide() {
  const answer = await fetch(process.env.UPSTREAM);
  return answer.text();
};
