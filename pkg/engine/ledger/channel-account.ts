/** An account as far as its channel is concerned. */
export interface ChannelAccount {
  id: string;
  provider: string;
  externalId: string;
  kind?: 'network' | 'mail';
}
