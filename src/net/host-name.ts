/** The host of a URL without the brackets that surround an address of IPv6 there. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** The host of a URL without brackets and a final dot. */
export function bareHost(host: string): string {
  return withoutBrackets(host).replace(/\.$/, '');
}

/** Whether a host is this machine by its name. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/.test(bareHost(host));
}

/** The port of a URL, the one of its protocol if it names none. */
export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** Whether what is sent to this address, such as a key, crosses the network in clear text. */
export function isInClearText(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}
