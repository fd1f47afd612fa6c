// Checksums as polynomials over GF(2), bit-reversed as gzip has them: appending `length` bytes multiplies the
// checksum of what stood before by x^(8 * length), so a joined checksum needs none of the bytes.
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const X = 0x40000000;

const SQUARES = squares();

/** The factor by which `length` bytes (up to 2^53) move the checksum of whatever stands before them. */
export function crc32Shift(length: number): number {
  let factor = ONE;
  // 8 * length bits: the lowest three powers are skipped.
  let power = 3;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) factor = multiply(SQUARES[power % 32] ?? ONE, factor);
    power += 1;
  }
  return factor;
}

/** The CRC-32 of two texts after each other, from their checksums and the shift of the second's length. */
export function crc32Combine(first: number, second: number, shiftOfSecond: number): number {
  return (multiply(shiftOfSecond, first) ^ second) >>> 0;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** x^(2^k) for k from 0 to 31; the cycle closes there, since x^(2^32) is x. */
function squares(): readonly number[] {
  const powers = [X];
  for (let last = X; powers.length < 32; powers.push(last)) last = multiply(last, last);
  return powers;
}
