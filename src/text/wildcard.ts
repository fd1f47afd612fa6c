/** Whether a text matches a pattern, in which `*` stands for any characters: in linear time, even for hostile input. */
export function wildcard(pattern: string): (text: string) => boolean {
  const [head = '', ...parts] = pattern.split('*');
  const tail = parts.pop();
  if (tail === undefined) return (text) => text === pattern;
  return (text) => {
    if (text.length < head.length + tail.length) return false;
    if (!text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const part of parts) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - tail.length;
  };
}
