import { z } from 'zod';
import type { BrandVoice } from '../../store/content/brand-voice.ts';

const words = z.array(z.string());

/** Catalog record BrandIdentity. */
export const brandIdentityRecord = z.object({
  brandName: z.string(),
  tagline: z.string(),
  description: z.string(),
  audience: z.string(),
  website: z.string(),
});

/** Catalog record Voice. */
export const voiceRecord = z.object({
  toneWords: words,
  dos: words,
  donts: words,
  bannedPhrases: words,
  examples: words,
});

/** Both records of a voice. */
export function voiceOf(voice: BrandVoice): {
  brandIdentity: z.input<typeof brandIdentityRecord>;
  voice: z.input<typeof voiceRecord>;
} {
  const { brandName, tagline, description, audience, website } = voice;
  const { toneWords, dos, donts, bannedPhrases, examples } = voice;
  return {
    brandIdentity: { brandName, tagline, description, audience, website },
    voice: { toneWords, dos, donts, bannedPhrases, examples },
  };
}
