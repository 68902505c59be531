import type { Output } from '../../api/call.ts';
import type { Tone } from '../../parts/chip.tsx';

/** A conversation of the list. */
export type TalkRow = Output<'svc_list_conversations'>['conversations'][number];
/** A page of a conversation's messages, the newest first. */
export type Thread = Output<'svc_list_messages'>;
export type Message = Thread['messages'][number];

/** What somebody wanted with their last words. */
export const REPLY_CLASSES: Readonly<Record<string, { word: string; tone: Tone }>> = {
  positive: { word: 'Interested', tone: 'good' },
  neutral: { word: 'Neutral', tone: 'plain' },
  negative: { word: 'Not interested', tone: 'warn' },
  referral: { word: 'Names somebody else', tone: 'accent' },
  out_of_office: { word: 'Out of office', tone: 'plain' },
  unsubscribe: { word: 'Wants no more', tone: 'bad' },
};

/** Where a conversation takes place. */
export interface Account {
  id: string;
  name: string;
  kind: 'network' | 'mail';
}
