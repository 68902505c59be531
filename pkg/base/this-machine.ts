const NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether an address leads to this machine. What counts is the host that is connected to: `http://localhost:x@other.example` leads to
 * other.example. A text that is no address leads nowhere.
 */
export function isThisMachine(url: string): boolean {
  return NAMES.includes(URL.parse(url)?.hostname ?? '');
}

/** Whether an address holds a name or a password before its host, which hide from readers where it leads. */
export function holdsCredentials(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.username !== '' || parsed.password !== '');
}
