/** Whether a host is the professional network's own, or that of one of its countries. @param host lower case, as of a parsed address */
export function isNetworkHost(host: string): boolean {
  return /^(?:[a-z]{2,3}\.)?linkedin\.com$/.test(host);
}
