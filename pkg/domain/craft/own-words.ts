import type { CraftOrder } from './craft-order.ts';

/** Where a sentence ends; a point within a number, a name or an address ends none. */
const SENTENCES = /(?<=[.!?])\s+|\n+/;

/** A sentence that tells the writer what not to say, or what nobody outside may read: it covers nothing. */
const FORBIDS: readonly RegExp[] = [
  /^[\s\-*•\d.)]*(?:please )?(?:never|do not|don't|don’t|avoid|refrain from|keep .{0,40} to yourself)\b/i,
  /^[\s\-*•\d.)]*(?:bitte )?(?:nie|niemals|vermeide|vermeiden|verzichte|erwähne nicht|schreibe? nicht|nenne nicht|versprich nicht)\b/i,
  /^[\s\-*•\d.)]*(?:bitte )?keine?n? .{0,60}\b(?:versprechen|erwähnen|nennen|schreiben|anbieten|zusagen)\b/i,
  /^[\s\-*•\d.)]*(?:ne |n['’]|jamais |évite[rz]? |merci de ne )/i,
  /^[\s\-*•\d.)]*(?:nunca |jamás |evita[r]? |no (?:escrib|mencion|dig|ofrez|promet|nombr))/i,
  /\b(?:internal(?:ly)?|confidential|not for (?:the )?(?:public|customers|leads)|vertraulich|nur intern|streng intern|confidentiel(?:le)?|à usage interne|confidencial|de uso interno)\b/i,
];

/** All that the house says of itself. What it forbids to say is none of that: "never offer 20 % off" covers no offer. */
export function ownWords({ playbook, persona, instructions, voice }: CraftOrder): string {
  const told = persona ? [persona.name, persona.description, ...persona.painPoints, ...persona.goals] : [];
  return [playbook ?? '', ...told, instructions, ...voice.examples].map(sayable).join('\n');
}

function sayable(text: string): string {
  return text
    .split(SENTENCES)
    .filter((sentence) => !FORBIDS.some((pattern) => pattern.test(sentence)))
    .join('\n');
}
