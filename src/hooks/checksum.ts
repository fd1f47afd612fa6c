/** FNV-1a of a text in UTF-8, as 8 hex digits: short, and without loading a library of hashes. */
export function checksumOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
