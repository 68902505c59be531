import type { Tx } from '../../postgres/database.ts';

/** How a workspace speaks. */
export interface BrandVoice {
  brandName: string;
  tagline: string;
  description: string;
  audience: string;
  website: string;
  toneWords: string[];
  dos: string[];
  donts: string[];
  bannedPhrases: string[];
  examples: string[];
  /** Epoch ms, product time; null: nobody told. */
  updatedAt: number | null;
}

const NOTHING: BrandVoice = {
  brandName: '',
  tagline: '',
  description: '',
  audience: '',
  website: '',
  toneWords: [],
  dos: [],
  donts: [],
  bannedPhrases: [],
  examples: [],
  updatedAt: null,
};

/** The voice of a workspace; empty where nobody told. */
export async function readVoice(tx: Tx, workspaceId: string): Promise<BrandVoice> {
  const row = await tx.row<BrandVoice>(
    `select brand_name as "brandName", tagline, description, audience, website, tone_words as "toneWords", dos, donts,
       banned_phrases as "bannedPhrases", examples, updated_at as "updatedAt"
     from brand_voice where workspace_id = $1`,
    [workspaceId],
  );
  return row ?? NOTHING;
}

/** Keeps the voice of a workspace whole. @param now epoch ms, product time */
export async function writeVoice(
  tx: Tx,
  workspaceId: string,
  voice: Omit<BrandVoice, 'updatedAt'>,
  now: number,
): Promise<void> {
  await tx.exec(
    `insert into brand_voice (workspace_id, brand_name, tagline, description, audience, website, tone_words, dos, donts,
       banned_phrases, examples, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (workspace_id) do update set
       brand_name = excluded.brand_name,
       tagline = excluded.tagline,
       description = excluded.description,
       audience = excluded.audience,
       website = excluded.website,
       tone_words = excluded.tone_words,
       dos = excluded.dos,
       donts = excluded.donts,
       banned_phrases = excluded.banned_phrases,
       examples = excluded.examples,
       updated_at = excluded.updated_at`,
    [
      workspaceId,
      voice.brandName,
      voice.tagline,
      voice.description,
      voice.audience,
      voice.website,
      voice.toneWords,
      voice.dos,
      voice.donts,
      voice.bannedPhrases,
      voice.examples,
      now,
    ],
  );
}
