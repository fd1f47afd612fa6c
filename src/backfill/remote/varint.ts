/** Writes an unsigned number of up to 32 bits as a varint; returns the position after it. */
export function writeVarint(output: Buffer, from: number, value: number): number {
  let end = from;
  let rest = value;
  while (rest > 0x7f) {
    output[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  output[end++] = rest;
  return end;
}

/** The number of bytes that `writeVarint` writes. */
export function varintLength(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}
