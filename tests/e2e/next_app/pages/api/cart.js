// SPDX-License-Identifier: Apache-2.0
import { Cart } from '../../lib/shop';

export default async function answerCart(request, response) {
  response.status(200).json({ total: await new Cart(['a', 'bb', 'ccc']).total() });
}
