/** The host of a URL without the brackets that surround an address of IPv6 there. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
