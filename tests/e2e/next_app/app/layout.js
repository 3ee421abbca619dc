// SPDX-License-Identifier: Apache-2.0
export default function Layout({ children }) {
  return (
    <html>
      <body>{children}</body>
    </html>
  );
}
