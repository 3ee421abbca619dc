// SPDX-License-Identifier: Apache-2.0
import { Cart } from '../lib/shop';

export async function getServerSideProps() {
  return { props: { total: await new Cart(['a', 'bb', 'ccc']).total() } };
}

export default function Basket({ total }) {
  return <p>Total {total}</p>;
}
