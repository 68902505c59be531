import { expect } from 'chai';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';

const classOf = (text: string): string => classifyReply(text, Date.parse('2026-11-28T10:00:00Z')).replyClass;
const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replaceAll('⏎', '\n'))
    .filter((line) => line !== '');

/** Wishes in English. */
const ENGLISH = lines(`
  Please take our address off your mailing list.
  I don't want to hear from you again.
  Stop spamming.
  Please don't send me anything else.
  Don't send me any more of this.
  Do not reach out again.
  Please don't reach out to me again.
  Please do not follow up.
  No follow-ups please.
  Stop following up.
  Please stop.
  stop this
  Kindly desist from contacting me
  I'd rather you didn't email me again.
  You don't have permission to email me.
  I did not consent to this. Remove.
  I never signed up for this, get me off this.
  Enough emails. Thanks.
  Could you take me off this sequence?
  Can you please remove my email from your database?
  How do I unsubscribe?
  How do I opt out of these?
  Not interested, please delete my data.
  Lose this address.
  Please remove jane@x.example from your list
  Please remove this email address.
  Take me off!
  Remove my name from your records
  We don't want any further contact from your company.
  Do not ever contact us
  Never email me again
  stop pestering me
  Stop harassing us!
  This is spam. Stop it.
  I'm reporting this as spam.
  Please cease all communication.
  cease communication
  no more outreach please
  don't bother me again
  Blocked.
  I've blocked you.
  I have marked this as spam
  please un-subscribe me
  UNSUBCRIBE
  Unsuscribe please
  Pls unsub
  S T O P
  🛑
  🛑 STOP
  STOP!!!
  S.T.O.P.
  Ｓｔｏｐ
  ＵＮＳＵＢＳＣＲＩＢＥ
  STOP 2 END
  Please respect my privacy and do not write to me anymore
  Please do not use my email address for marketing.
  Do not use this address.
  I do not wish to receive marketing emails
  I don't accept unsolicited emails.
  We do not accept solicitations.
  no solicitation
  No cold emails please
  Please don't cold email me.
  Please don't contact me on this address again
  This is my private address, don't use it.
  I want to be removed from your list.
  I would like to be removed.
  I'd like to opt-out.
  I wish to unsubscribe
  Delete my contact info
  Please forget me
  Where did you get my email? Delete it.
  You have my email without my consent; delete it immediately.
  Leave me alone
  leave me the hell alone
  get lost
  F*** off
  bugger off
  Get out of my inbox
  Exclude me from further mailings
  Please exclude us from future campaigns.
  I'm opting out
  Kindly refrain from sending further emails.
  Refrain from further contact.
  No further contact please.
  No further correspondence.
  Please discontinue these emails.
  Discontinue.
  Please end this.
  don't message
  Please do not send any further communication
  This is harassment
  My lawyer will contact you if you write again
  Consider this a formal request under GDPR to erase all data you hold about me.
  Under Article 17 GDPR I request erasure
  Per CCPA, delete my info
  I exercise my right to erasure.
  I hereby withdraw consent
  Strike me from your list
`);
/** Wishes in German. */
const GERMAN = lines(`
  Bitte keine weiteren E-Mails mehr.
  Bitte schicken Sie mir nichts mehr.
  Bitte senden Sie mir keine E-Mails mehr zu.
  Bitte nehmen Sie mich aus Ihrem Verteiler.
  Nehmt mich bitte raus.
  Bitte melden Sie mich ab.
  Melden Sie mich bitte von diesem Newsletter ab!
  Ich möchte mich abmelden.
  Ich möchte keine Mails mehr bekommen.
  Ich möchte nicht mehr kontaktiert werden
  Wir wünschen keine Kontaktaufnahme.
  Wir wünschen keinen weiteren Kontakt.
  Unterlassen Sie das.
  Bitte unterlassen Sie künftig solche Anfragen
  Bitte sehen Sie von weiteren Mails ab.
  Ich widerspreche der Nutzung meiner Daten zu Werbezwecken.
  Ich widerspreche der Verarbeitung.
  Hiermit widerrufe ich meine Einwilligung
  Bitte löschen.
  Bitte löschen Sie meine Daten gemäß Art. 17 DSGVO.
  Löschen Sie mich.
  Bitte löschen Sie meinen Kontakt.
  Löschen Sie meine E-Mail-Adresse
  Bitte lösche meine Mailadresse aus deinem System.
  Woher haben Sie meine Adresse? Bitte löschen!
  Auskunft nach Art. 15 DSGVO, und löschen Sie dann alles.
  Kein Spam bitte
  Das ist Spam. Hören Sie auf.
  Hör auf mir zu schreiben
  Lass mich in Ruhe
  Lassen Sie uns bitte in Frieden.
  Schreiben Sie mir nie wieder.
  Nicht mehr schreiben!
  Nie wieder anschreiben.
  Bitte nicht weiter anschreiben.
  Bitte kontaktieren Sie mich nicht.
  Kontaktieren Sie mich in Zukunft nicht mehr
  Ich will nichts mehr von Ihnen hören
  Keine Werbung!
  Bitte keine Werbung mehr
  Stoppen Sie diese Mails
  Schluss damit!
  Schluss jetzt
  Genug jetzt.
  Es reicht!
  Verschonen Sie mich.
  Bitte streichen Sie mich von der Liste
  Streicht mich
  bitte austragen
  Bitte tragen Sie mich aus dem Verteiler aus
  Ich bitte um Löschung meiner Daten
  Bitte um Löschung
  Austragen bitte
  Ich habe Ihnen keine Erlaubnis gegeben, mir zu schreiben.
  Unerwünschte Werbung, wir mahnen ab.
  Sie haben keine Einwilligung, mir Werbung zu schicken.
  Kein weiterer Kontakt erwünscht.
  Bitte sperren Sie meine Adresse
  Entfernen Sie mich aus der Datenbank
  Bitte von weiteren Nachrichten absehen.
  Ich wünsche keine Werbung.
  Wünsche keine weiteren Mails
  Sehen Sie bitte davon ab, mich weiter zu kontaktieren.
  ABMELDEN
  Abmeldne
  bitte abbestelen
`);
/** Wishes in French. */
const FRENCH = lines(`
  Merci de ne plus me contacter.
  Ne m'écrivez plus.
  Veuillez me désinscrire.
  Veuillez me retirer de votre liste
  Merci de me retirer de vos fichiers.
  Désinscription svp
  Stop
  Arrêtez de m'écrire.
  Arrêtez vos mails.
  Plus de mails svp
  Je ne veux plus recevoir vos mails.
  Je ne souhaite plus être sollicité
  Je ne souhaite pas être démarchée.
  Cessez tout envoi
  Supprimez mes données.
  Merci de supprimer mon adresse mail.
  Retirez-moi
  Enlevez-moi de cette liste
  Foutez-moi la paix
  Fichez-moi la paix
  Laissez-moi tranquille
  Je m'oppose au traitement de mes données
  J'exerce mon droit d'opposition
  Pas de démarchage svp
  On arrête là.
  Ça suffit.
  Ça suffit maintenant, stop.
  Merci de ne pas me recontacter.
  Merci de ne pas insister
  Ne me relancez pas.
  N'insistez pas.
  Inutile de me relancer.
  Inutile de me recontacter, merci
  Je souhaite me désabonner
  Désabonnez moi
  Merci de m'ôter de votre liste
  Veuillez effacer mes coordonnées
  Je n'ai jamais donné mon accord, supprimez-moi
  Comment se désinscrire ?
  Je vous demande de cesser ces mails
  Aucune sollicitation commerciale
  Je ne veux pas de vos mails
  Ne plus écrire à cette adresse
`);
/** Wishes in Spanish. */
const SPANISH = lines(`
  Por favor no me escriban más.
  No me envíen más correos
  No quiero recibir más correos
  Denme de baja
  Quiero darme de baja
  Dar de baja
  Borren mis datos
  Elimine mis datos de su base
  Quítenme de la lista
  Sáquenme de su lista por favor
  Dejen de enviarme correos
  Deja de escribirme
  Paren de mandar esto
  No vuelvan a contactarme
  No contactar más
  No más correos
  Basta de correos
  Ya basta
  Me opongo al tratamiento de mis datos
  Ejerzo mi derecho de supresión
  Solicito la supresión de mis datos
  No deseo recibir publicidad
  No autorizo el uso de mis datos
  No me molesten
  Déjame en paz
  Déjenme en paz por favor
  ¡Déjeme tranquilo!
  No insista por favor
  Favor de no contactarme
  Favor de eliminarme de su lista
  Cancele mi suscripción
  Cancelar suscripción
  Quiero que eliminen mi correo
  Retírenme de sus envíos
  no me interesa, no me escriba de nuevo
  No me contacten nuevamente
  Bájenme de la lista
`);
/** Wishes in Italian. */
const ITALIAN = lines(`
  Non mi scriva più.
  Per favore non contattatemi più.
  Smettetela
  Smetta di scrivermi.
  Basta email
  Cancellatemi dalla lista
  Mi cancelli dalla sua mailing list
  Rimuovetemi
  Rimuova il mio indirizzo
  Eliminate i miei dati
  Non desidero ricevere altre email
  Non voglio più ricevere mail
  Mi oppongo al trattamento
  Disiscrivetemi
  Disiscrivimi
  Vorrei disiscrivermi
  Chiedo la cancellazione dei miei dati
  Non inviatemi altro
  Non mandatemi più nulla
  Lasciatemi in pace
  Mi lasci stare
  La prego di non contattarmi
  Vi prego di non scrivermi più
  La prego di cancellarmi
  Toglietemi dalla lista
  Non insista
  Non autorizzo il trattamento dei miei dati
  Come mi cancello?
  Non contattarmi di nuovo
  Evitate di scrivermi
`);
/** Wishes in Dutch. */
const DUTCH = lines(`
  Graag verwijderen uit uw bestand.
  Graag geen mails meer.
  Geen e-mails meer aub
  Stuur mij geen berichten meer
  Schrijf me uit
  Schrijf mij alsjeblieft uit
  Ik wil me uitschrijven
  Ik wil geen mails meer ontvangen
  Neem geen contact meer op
  Niet meer mailen
  Stop met mailen
  Stop hiermee
  Laat me met rust
  Laat ons met rust
  Verwijder mijn gegevens
  Haal me van de lijst
  Haal mij uit jullie systeem
  Ik maak bezwaar tegen het gebruik van mijn gegevens
  Ik wens geen reclame te ontvangen
  Wij stellen geen prijs op deze mails
  Ik stel dit niet op prijs, stop.
  Gelieve mij niet meer te contacteren
  Gelieve mij te verwijderen
  Gelieve dit te stoppen
  Niet meer contacteren
  Mail me niet meer
  Benader mij niet meer
  Hou op
  Hou hiermee op
  Graag uitschrijven
  Kunt u mij uitschrijven?
  Kunt u mijn adres verwijderen?
  Geen acquisitie
  Acquisitie wordt niet op prijs gesteld
`);
/** Wishes in Portuguese. */
const PORTUGUESE = lines(`
  Não me contacte mais.
  Não me escreva mais
  Por favor, remova meu email da lista
  Parem de enviar emails
  Pare de me enviar mensagens
  Não quero receber mais emails
  Não desejo receber comunicações
  Me tire da lista
  Me remova da lista
  Remover
  Descadastrar
  Quero me descadastrar
  Cancelar inscrição
  Cancele a minha subscrição
  Deixe-me em paz
  Me deixe em paz
  Apague os meus dados
  Excluam meus dados
  Retirem-me da lista
  Não autorizo o uso dos meus dados
  Oponho-me ao tratamento
  Não voltem a contactar
  Chega de emails
  Chega!
  Favor não enviar mais e-mails
  Favor retirar meu contato
  Não me enviem mais nada
  Agradeço que não me contactem mais
  Não mande mais mensagem
  Não insista
  Sair
  sair da lista
`);
/** Wishes in Polish. */
const POLISH = lines(`
  Proszę o usunięcie mojego adresu.
  Proszę mnie usunąć z listy
  Proszę nie pisać do mnie więcej.
  Proszę więcej nie pisać
  Nie piszcie do mnie
  Nie piszcie więcej
  Nie kontaktujcie się ze mną
  Nie chcę otrzymywać wiadomości
  Nie chcę od was maili
  Nie życzę sobie takich maili
  Nie życzymy sobie kontaktu
  Wypiszcie mnie
  Wypisz mnie
  Wypisuję się
  Rezygnuję
  Rezygnuję z subskrypcji
  Usuńcie moje dane
  Proszę usunąć moje dane osobowe
  Sprzeciwiam się przetwarzaniu danych
  Cofam zgodę
  Nie wyrażam zgody na otrzymywanie ofert
  Nie wyrażam zgody
  Przestańcie pisać
  Przestań do mnie pisać
  Proszę przestać
  Dajcie mi spokój
  Proszę mi nie wysyłać ofert
  Proszę o zaprzestanie wysyłki
  Proszę o zaprzestanie kontaktu
  Żadnych maili więcej
  Dość
  Koniec
  Stop
  Proszę mnie wykreślić
`);
/** Wishes beside thanks, a yes or a question mark: nobody of them is written to again. */
const BESIDE_A_YES = lines(`
  Ja, u mag mij uit de lijst halen, graag.
  Graag verwijderen
  Graag geen berichten meer
  Graag niet meer benaderen
  Graag uit uw bestand verwijderen
  Ja, bitte nehmen Sie mich raus.
  Ja bitte keine Mails mehr
  Oui, retirez-moi svp
  Oui, merci de ne plus écrire
  Merci de ne pas me relancer
  Merci de ne plus rien envoyer
  Merci de m'enlever de vos envois
  Merci de me sortir de votre fichier
  Merci d'arrêter
  Merci d'arrêter les mails
  Thanks, but no more of these
  Thanks but don't write again
  Thank you for removing this address
  Thanks for not emailing me again
  Danke, aber bitte nichts mehr schicken
  Danke, ich möchte nichts mehr hören
  Danke nein, und bitte keine Mails
  Gracias, pero no escriban más
  Gracias por no volver a escribir
  Gracias, bórrenme
  Grazie, ma non scrivete più
  Grazie di non scrivermi più
  Obrigado, mas não enviem mais
  Bedankt, maar geen mails meer
  OK, but stop it now please, I never asked for this
  Ok. Aber keine weiteren Mails bitte.
  Sure, if you stop mailing me
  Yes, stop.
  Yes. Please stop these.
  Sí, dejen de molestar
  Sim, parem com isso
  Tak, proszę przestać pisać
  Who are you? Take my mail out of your system.
  How did you get my email? Never use it again.
  Where did you get my data? I want it gone.
  Are you kidding? Leave me out of this.
  Can you stop?
  Could you please stop writing?
  Würden Sie bitte aufhören?
  Können Sie mich bitte löschen?
  Kann man das abbestellen?
  Wie kann ich mich abmelden?
  Wie melde ich mich ab?
  Comment me désabonner ?
  Comment ne plus recevoir vos mails ?
  ¿Cómo me doy de baja?
  ¿Pueden quitarme de la lista?
  Come faccio a cancellarmi?
  Potete cancellarmi?
  Hoe kan ik me afmelden?
  Hoe meld ik me af?
  Kunnen jullie mij verwijderen?
  Como faço para sair da lista?
  Podem remover-me?
  Jak się wypisać?
  Czy możecie mnie usunąć?
  I would love to be removed from this list
  I'd be happy to never hear from you again
  Happy to be taken off your list
  Looking forward to not hearing from you
  Would love it if you stopped
  I'm in no mood for spam, stop
  Interesting spam. Delete me.
  Sounds good - to never get these again
  Yes sure, block me
  Graag stoppen
  Graag afmelden
  Chętnie zrezygnuję
  Con gusto, dejen de escribir
  Avec plaisir si vous arrêtez de m'écrire
  Gerne, wenn Sie mich von der Liste nehmen
  Volentieri, se mi cancellate
  next year maybe, but stop mailing me now
`);
/** More of each kind. */
const OTHERS = lines(`
  Please take this address off your mailing list.
  I'd prefer not to get these.
  Could you kindly stop these mails?
  Would you mind removing me?
  We'd like to be taken off your distribution list.
  No more outreach from you, please.
  Please do not write again.
  Don't ever write me again.
  Please don't email us anymore.
  I told you to stop already.
  I've asked you twice to stop.
  Never ever contact me.
  Please quit emailing me.
  Take us off the list.
  Please scrub my address from your CRM.
  I am not interested and would like you to remove my details.
  Stop it, please.
  Enough already.
  Enough is enough.
  Wipe my data.
  Please unsubscribe this address.
  unsubscribe all
  Please remove sales@x.example from your mailings
  Can I be removed from this list?
  Can you remove me?
  How can I stop these emails?
  How do I get off this list?
  How do I make this stop?
  Where do I unsubscribe?
  Thanks, but please take me off.
  Thank you but please do not write again
  Thanks for taking me off your list.
  Happy to be left alone.
  I would love it if you'd stop writing
  Looking forward to never hearing from you again.
  Yes please stop
  Yes, remove me
  OK, remove me
  Sure - delete my address.
  Interesting, but don't contact me again.
  Sounds great, now take me off your list
  This is unsolicited spam.
  I do not consent to receiving marketing.
  I revoke my consent
  I never opted in.
  I didn't sign up for this. Stop.
  Not wanted.
  Opt me out
  Opt-out please
  opting out please
  We are not interested, kindly do not contact us further.
  Bitte hören Sie auf, mir zu schreiben.
  Bitte keine weiteren Mails an diese Adresse.
  Ich möchte von Ihnen keine E-Mails mehr erhalten.
  Bitte unterlassen Sie weitere Anfragen.
  Nehmen Sie mich raus.
  Nimm mich bitte aus der Liste.
  Kann ich mich hier abmelden?
  Wie bestelle ich das ab?
  Können Sie mich aus dem Verteiler nehmen?
  Könnten Sie mich bitte austragen?
  Wo kann ich das abbestellen?
  Danke, aber bitte nicht mehr schreiben.
  Danke, bitte keine weiteren Nachrichten.
  Gerne, aber erst wenn Sie aufhören mir zu schreiben.
  Ja, bitte löschen Sie mich.
  Ja, löschen Sie meine Daten.
  Bitte löscht mich aus eurer Kartei.
  Wir möchten nicht mehr angeschrieben werden.
  Wir wollen keine Werbung.
  Bitte nicht mehr.
  Kein Interesse, nicht mehr anschreiben!
  Ich habe mich nie angemeldet. Bitte löschen.
  Bitte entfernen Sie unsere Adresse aus Ihrem System.
  Bitte von der Liste nehmen
  Keine weiteren Anfragen bitte
  Merci d'enlever mon adresse.
  Merci de me retirer
  Merci de ne plus nous solliciter.
  Merci de cesser vos relances
  Merci d'arrêter de m'écrire
  Pouvez-vous me retirer de votre liste ?
  Pourriez-vous arrêter de m'écrire ?
  Comment me désinscrire ?
  Comment faire pour ne plus recevoir vos messages ?
  Je souhaite être retiré de votre liste.
  Je veux être désinscrit
  Oui, mais ne m'écrivez plus
  Avec plaisir, dès que vous arrêtez vos mails.
  Veuillez ne plus m'envoyer de mails.
  Plus aucun mail svp
  Stop aux mails
  Stop pub
  Supprimez-moi de votre base
  Laissez-nous tranquilles
  Por favor bórrenme
  Por favor eliminen mi correo de su lista
  No me escriban nunca más
  No quiero más mensajes
  No quiero que me escriban
  ¿Cómo me desuscribo?
  ¿Me pueden dar de baja?
  ¿Pueden dejar de escribirme?
  Gracias, pero no me escriba más
  Gracias, no me contacten más
  Sí, quítenme
  Dejen de mandarme correos
  No envíen más
  Quiero la baja
  Per favore toglietemi dalla lista
  Non scrivetemi
  Non contattatemi più
  Grazie, ma cancellatemi
  Grazie di cancellarmi
  Come posso disiscrivermi?
  Potete togliermi dalla lista?
  Volentieri, ma smettete di scrivermi
  Vorrei essere cancellato
  Basta messaggi
  Non voglio più email
  Niente più mail per favore
  Graag mijn adres verwijderen
  Graag mij uitschrijven
  Graag geen contact meer
  Wilt u mij van de lijst halen?
  Wil je mij verwijderen uit je bestand?
  Hoe schrijf ik me uit?
  Bedankt, maar niet meer mailen
  Stuur me geen mails meer
  Stop met het sturen van mails
  Ja graag, verwijder mij
  Ik wil niet meer benaderd worden
  Geen reclame aub
  Como cancelo isto?
  Como me descadastro?
  Podem retirar-me da lista?
  Obrigado, mas não me escrevam mais
  Não quero mais emails
  Não me enviem emails
  Sim, removam-me
  Por favor parem
  Gostaria de ser removido
  Chega de mensagens
  Nie wysyłajcie mi więcej maili
  Proszę mnie wypisać
  Proszę usunąć mój adres z bazy
  Proszę o wypisanie
  Jak mogę się wypisać?
  Czy mogą mnie Państwo usunąć z listy?
  Dziękuję, ale proszę nie pisać
  Nie chcę więcej wiadomości
  Tak, usuńcie mnie
  Chętnie, ale przestańcie pisać
  Dajcie spokój
  Nie życzę sobie kontaktu
  UNSUB
  R E M O V E
  s-t-o-p
  ⛔
  remоve me
`);
/** A yes that speaks of stopping something else, or stands above what a company tells its own readers. */
const YES = lines(`
  Yes, happy to talk. Please remove Bob from the thread, he left.
  Interested! We want to unsubscribe from our current vendor.
  Yes please, we need GDPR Art. 17 deletion tooling, let's talk
  Gerne! Wir suchen ein Tool für die Löschung von Daten.
  Sounds great. Our opt-out rate is 5%, can you help?
  Happy to chat. Please take me off speakerphone next time :)
  Yes - stop sending the PDF, just call me.
  I would love to see a demo, our unsubscribe rate is terrible
  Let's talk. We do not want to receive leads from other vendors.
  Sí, me interesa. La baja de nuestro proveedor es en mayo.
  Let's talk.⏎⏎Anna⏎If you no longer wish to receive emails from Acme, unsubscribe here.
  Sounds good, call me.⏎⏎Sent from my iPhone. Wenn Sie keine weiteren E-Mails von uns erhalten möchten, antworten Sie mit Abmelden.
  Yes, let's talk.⏎⏎This e-mail is confidential. If you are not the intended recipient please delete it and notify us.
  Yes, happy to chat. We removed our old tool last week.
  Sounds good, our opt-out numbers are bad.
  Interested. We stopped using our vendor.
  Love to talk, we need to delete old leads from our CRM.
  Let's talk, can you help us stop churn?
  Happy to talk. Stop by on Friday.
  Great, book a meeting. Please delete the second slot.
  Sounds good, we never had such a tool.
  Yes please. I don't want to miss this.
  Sure, but not this week.
  Gerne. Bitte löschen Sie die alte Einladung.
  Klingt gut, wir haben das noch nie probiert.
  Interessiert! Unsere Abmeldequote ist zu hoch.
  Gerne, schicken Sie mir mehr Infos.
  Avec plaisir, supprimez l'ancien lien.
  Volontiers, nous voulons arrêter de perdre des clients.
  Me interesa. Queremos dejar de usar nuestro proveedor.
  Con gusto, elimine la reunión del lunes.
  Volentieri, cancelli l'appuntamento di lunedì.
  Graag, verwijder de afspraak van maandag.
  Tenho interesse, não temos fornecedor.
  Chętnie, proszę usunąć poniedziałkowe spotkanie.
  Yes, let's talk. No rush.
  Yes! No need to prepare anything.
  Sounds good, no?
  I can't wait, sounds great!
  Why not, happy to talk.
  Don't hesitate to call me.
  No worries, sounds good.
  Yes, we don't have anything like this, tell me more.
  I'm interested, please send me more.
  Never heard of you, but sounds interesting.
  We do not have a vendor yet, tell me more
  Ja, wir haben noch nichts, klingt gut
  Oui, nous n'avons pas encore d'outil, ça m'intéresse
  Yes, call me tomorrow. I'm not available before 10.
  Happy to talk; I am travelling next week but reachable.
  Please don't send a calendar invite yet, but I'm interested.
  Interested, but don't call me, email is better.
  Sure! Not a problem.
  Gern, kein Problem.
  Sí, claro.
  Looking forward to it!
  Sounds good - do not forget to send me the deck.
  Let's talk. If you would like to visit our office here, tell me.
  Yes please, remove the watermark and send it again.
  Sounds great, please take me through it.
  Count me in. We're done with our old agency.
  Happy to chat.⏎⏎To unsubscribe from our newsletter, click here.
  Klingt gut.⏎⏎Wenn Sie keine E-Mails mehr von uns erhalten möchten, klicken Sie hier.
  Avec plaisir.⏎⏎Si vous ne souhaitez plus recevoir nos messages, cliquez ici.
`);
/** Refusals, also where a word of pleasure stands in them. */
const NO = lines(`
  We are all set, thanks.
  Not at this time, thank you
  We're good, thanks
  I'm happy with my current provider
  Pass.
  Hard pass.
  Please don't.
  We don't need this.
  Not looking for this
  No need
  Thanks but no thanks
  I am not interested
  This isn't a fit
  Wir sind versorgt.
  Wir haben schon einen Anbieter
  Danke, kein Bedarf
  Brauchen wir nicht
  Leider nein
  Nein.
  Nicht für uns
  Kein Interesse an einem Gespräch
  Ich habe gerade kein Interesse
  Pas intéressé
  Ça ne nous intéresse pas
  Nous ne sommes pas intéressés
  Je ne suis pas intéressée
  Nous avons déjà un prestataire
  No estoy interesada
  No necesitamos esto
  Ya tenemos proveedor
  Non sono interessato
  Non siamo interessati
  Non ci interessa
  Abbiamo già un fornitore
  Wij hebben geen interesse
  Niet geïnteresseerd
  Daar hebben wij geen behoefte aan
  Não tenho interesse
  Não estamos interessados
  Não, obrigado
  Nie jesteśmy zainteresowani
  Nie, dziękuję
  Nie interesuje mnie to
  Graag niet
  Liever niet, graag een andere keer niet
  Lieber nicht, danke
  Interested? No.
  Not really my thing
  I'd rather not
  We would not be interested
  At present we have no interest
  I can't say I'm interested
  Nobody here is interested
  We lost interest
  Zero interest
  interest: none
  Not happy to talk
  Would love to but no.
  I'd love to say yes, but we have no budget
  We already have a sales team, so no.
  Das klingt gut, aber wir haben keinen Bedarf
  Sounds good but not for us
  Yes, I got your mail and no, we won't buy
  Sure, like I would ever buy that. No.
  Ja, hab's gelesen. Nein.
  Ja, nein danke
  Sim, recebi, mas não quero
  Sí, lo recibí, pero no nos hace falta
  Oui j'ai lu, mais ce n'est pas pour nous
  No thank you, we're covered.
  We are happy where we are.
  We're not in the market.
  I'll have to pass.
  Not for us, thanks.
  We have an agency already.
  We work with someone else.
  Not our thing.
  Unfortunately no.
  Sadly not.
  Afraid not.
  I don't think so.
  Don't think this is for us
  We're fine, thank you.
  Wir arbeiten schon mit jemandem.
  Wir haben bereits einen Partner.
  Kein Bedarf bei uns.
  Nein, vielen Dank.
  Eher nicht.
  Passt nicht zu uns.
  Das brauchen wir nicht.
  Ich habe kein Interesse daran.
  Nous avons déjà ce qu'il faut.
  Pas pour nous merci.
  Non, ça ira.
  Ce n'est pas une priorité.
  Ya contamos con un proveedor
  No nos interesa, gracias
  No, gracias.
  No es lo que buscamos
  Abbiamo già qualcuno
  Non ci serve
  No, grazie
  We hebben al een leverancier
  Niet nodig, bedankt
  Geen behoefte
  Já temos fornecedor
  Não precisamos
  Mamy już dostawcę
  Nie potrzebujemy
  Dziękuję, nie.
  Interesting? Not at all.
  Happy? No.
  Not keen to talk
  We wouldn't love to talk
  Ja, gelesen, aber nein.
  Yes, but no.
  Oui, mais non.
  Sí, pero no.
  Sim, mas não.
  Gerne nicht
  Sure, but no thanks.
  Would love to but we can't
  No interest whatsoever
  Definitely not
  Absolutely not.
  Of course not.
  Certainly not!
  Sure, no.
  Auf keinen Fall
  Sicher nicht
  Pas du tout
  Para nada
  Assolutamente no
  Zeker niet
  De jeito nenhum
`);
/** Absences as people write them. */
const AWAY = lines(`
  I am travelling until 7 December with patchy connectivity.
  Ich bin bis 7.12. nicht erreichbar.
  Ich bin ab dem 7. Dezember wieder da.
  Je suis en déplacement jusqu'au 7 décembre
  Estoy de viaje hasta el 7 de diciembre
  Sono in viaggio fino al 7 dicembre
  Ik ben tot 7 december afwezig
  Estou de férias até 7 de dezembro
  Jestem na urlopie do 7 grudnia
  OOO till 7 Dec
  I'm currently on sabbatical until March 2027
  Ich befinde mich im Krankenstand
  Betriebsferien vom 20.12. bis 6.1.
  I am on a business trip until 7 December.
  Travelling till Friday.
  I'm away until 10 December.
  I will be back on Monday.
  I'm off sick until Thursday
  Offline until January 3rd.
  I'm on paternity leave until March.
  Ich bin bis Freitag nicht im Büro.
  Bis 10.12. unterwegs.
  Ich bin auf Dienstreise.
  Ich bin krank.
  Wir haben Betriebsferien bis 6. Januar.
  Ab Montag bin ich wieder erreichbar.
  Ab 10. Dezember wieder im Büro.
  Je suis en voyage jusqu'au 10 décembre
  De retour le 10 décembre
  En arrêt maladie
  Estoy fuera hasta el 10 de diciembre
  Vuelvo el 10 de diciembre
  Sono in malattia fino a lunedì
  Rientro il 10 dicembre
  Ik ben op reis tot 10 december
  Tot maandag niet bereikbaar
  Estou em viagem até 10 de dezembro
  Volto no dia 10
  Jestem w podróży do 10 grudnia
  Wracam 10 grudnia
  Nie będzie mnie do 10 grudnia
`);
/** No yes, and no wish either: a person reads them. */
const NO_WISH = lines(`
  I will remove the old file tomorrow.
  Please stop the meeting at 3.
  We stopped our contract with Acme in May.
  How do I remove a user in your product?
  Do you delete data after 30 days?
  Could you take me through the offer?
  When does the offer end?
  I did not get your mail, please send it again.
  Ich habe Ihre Mail nicht erhalten, bitte schicken Sie sie mir noch einmal.
  Wer ist bei Ihnen für Löschung zuständig?
  Je n'ai pas reçu votre mail.
  No me llegó el correo.
  Non ho ricevuto la mail.
  Ik heb geen mail ontvangen.
  Não recebi o email.
  Nie dostałem maila.
  What is your bounce and spam rate?
  Do you use double opt-in?
  If you send me the deck here, I can read it.
  We do not accept offers after Friday.
  I no longer work on this, but Bob does.
  Can I unsubscribe my colleagues later if we buy?
  Our unsubscribe rate is terrible.
`);

describe('wishes in sentences', () => {
  for (const [language, texts] of Object.entries({
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    DUTCH,
    PORTUGUESE,
    POLISH,
    BESIDE_A_YES,
    OTHERS,
  }))
    it(`to be left alone are heard: ${language} (${texts.length})`, () => {
      for (const text of texts) expect(classOf(text), text).to.equal('unsubscribe');
    });

  it('of stopping something else, beside a yes, are a yes', () => {
    for (const text of YES) expect(classOf(text), text).to.equal('positive');
  });

  it('a no of its own clause, or one before a word of pleasure, is no yes', () => {
    for (const text of NO) expect(classOf(text), text).to.equal('negative');
  });

  it('absences of people are absences', () => {
    for (const text of AWAY) expect(classOf(text), text).to.equal('out_of_office');
  });

  it('what is neither bars nobody and wins nobody', () => {
    for (const text of NO_WISH) expect(classOf(text), text).to.be.oneOf(['unclassified', 'neutral', 'referral']);
  });

  it('of any repetition are looked for at a linear cost', () => {
    for (const part of [
      'remove me ',
      'if you want ',
      'no ',
      'please ',
      'nicht mehr ',
      "ne m'",
      'ne plus ',
      'a a ',
      's.t.',
      'kein ',
      'merci de ',
      'until ',
      "don't send ",
    ])
      classOf(part.repeat(20_000 / part.length));
  });
});
