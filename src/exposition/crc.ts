// CRC-32 of texts that are joined, from those of each, as in zlib's `crc32_combine`, which Node.js lacks. Bits are reversed: the
// highest one is x^0.

const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
/** Multiplying by it continues a checksum by a zero byte. */
const X_8 = ONE >>> 8;

/** The CRC-32 of a text with this one, followed by the `second` of that length in bytes. */
export function joinedCrc(first: number, second: number, length: number): number {
  let moved = first;
  let factor = X_8;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) moved = product(moved, factor);
    factor = product(factor, factor);
  }
  return (moved ^ second) >>> 0;
}

/** The product of two polynomials over bits, modulo that of CRC-32. */
function product(one: number, other: number): number {
  let sum = 0;
  let power = other;
  for (let bit = ONE; bit > 0; bit >>>= 1) {
    if ((one & bit) !== 0) sum ^= power;
    power = (power & 1) === 0 ? power >>> 1 : (power >>> 1) ^ POLYNOMIAL;
  }
  return sum >>> 0;
}
