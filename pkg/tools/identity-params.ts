import { z } from 'zod';
import { readMail } from '../domain/identity/mail.ts';
import { addressOfProfile, readProfile } from '../domain/identity/profile.ts';

/** A person's mail address, read as an import reads its cell (`yan@x.example,` is yan@x.example), of which there must be one. */
export const mailParam = z
  .string()
  .max(320)
  .meta({ format: 'email' })
  .transform((text, ctx) => {
    const { value, note } = readMail(text);
    if (value !== null && value.others.length === 0) return value.address;
    ctx.addIssue({ code: 'custom', message: value === null ? `"${shown(text)}" ${note}` : 'must be one mail address' });
    return z.NEVER;
  });

/** A person's profile, read as an import reads its cell, in the one form of its address. */
export const profileParam = z
  .string()
  .max(500)
  .meta({ format: 'uri' })
  .transform((text, ctx) => {
    const { value, note } = readProfile(text);
    if (value !== null) return addressOfProfile(value);
    ctx.addIssue({ code: 'custom', message: `"${shown(text)}" ${note}` });
    return z.NEVER;
  });

function shown(text: string): string {
  return text.slice(0, 80).toWellFormed();
}
