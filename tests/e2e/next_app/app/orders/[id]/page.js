// SPDX-License-Identifier: Apache-2.0
import { Cart } from '../../../lib/shop';

async function loadOrder(id) {
  return { id, total: await new Cart(['a', 'bb', 'ccc']).total() };
}

export default async function OrderPage({ params }) {
  const order = await loadOrder((await params).id);
  return <p>Order {order.id}: {order.total}</p>;
}
