/** Structural limits of a JSON text, which bound memory and time. */
export interface JsonBounds {
  /** Maximum nesting depth of arrays and objects. */
  readonly depth: number;
  /** Maximum number of values, including nested ones. */
  readonly values: number;
}

/** Measures a JSON text as it arrives, before it is parsed. */
interface JsonMeter {
  /** Measures the next chunk; returns the bound that is exceeded. */
  read(chunk: Uint8Array): keyof JsonBounds | undefined;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Starts at the beginning of a text in UTF-8. The result is meaningless for a text that is not JSON. */
export function createJsonMeter(bounds: JsonBounds): JsonMeter {
  let depth = 0;
  let values = 1;
  let isText = false;
  let isEscaped = false;

  /** The index of the quote that ends a text, from an index within it; the length of the chunk if it goes on. */
  function endOfText(chunk: Uint8Array, from: number): number {
    let at = from;
    if (isEscaped && at < chunk.length) {
      at += 1;
      isEscaped = false;
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === QUOTE) return at;
      if (byte !== BACKSLASH) continue;
      at += 1;
      isEscaped = at === chunk.length;
    }
    return chunk.length;
  }

  return {
    read(chunk) {
      // An index, because an iterator is slower and this processes every received byte; most of them are in texts.
      for (let at = 0; at < chunk.length; at += 1) {
        if (isText) {
          at = endOfText(chunk, at);
          if (at < chunk.length) isText = false;
          continue;
        }
        const byte = chunk[at];
        if (byte === QUOTE) isText = true;
        else if (byte === COMMA) values += 1;
        else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
          depth += 1;
          values += 1;
          if (depth > bounds.depth) return 'depth';
        } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
      }
      return values > bounds.values ? 'values' : undefined;
    },
  };
}
