/** That nobody here can act for an account, and what ends it: of the tools, registering it again at a provider that is configured. */
export function unconfiguredText(accountId: string, provider: string): string {
  return `Account ${accountId} neither reads nor acts: its provider ${provider} is not configured on this installation. Give all processes the address and key of the provider, or register the account again.`;
}
