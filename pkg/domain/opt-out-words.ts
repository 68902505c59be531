import { foldReply } from './fold-reply.ts';
import { wordSet } from './word-set.ts';

/**
 * Words by which people stop mails where nothing else stands beside them: commands and their nouns. First the eight languages of
 * the product (English, German, French, Spanish, Italian, Dutch, Portuguese, Polish), then others.
 */
const words = (list: string): ReadonlySet<string> => wordSet(foldReply(list));

export const STOP_WORDS = words(`
  stop unsubscribe unsubscribed unsubscription unsub remove removal removed delete deletion erase erasure optout opt-out cease desist spam
  stopp stoppen abmelden abmeldung abbestellen abbestellung austragen austragung löschen löschung entfernen entfernung streichen widerspruch raus
  lösche löscht entferne entfernt streiche streicht abbestelle bestelle-ab stoppt
  widerruf kündigung abmahnung aufhören
  désabonner désabonnez désabonnement désinscrire désinscrivez désinscription retirer retirez retrait supprimer supprimez suppression arrêter
  arrêtez arrêt cesser cessez opposition
  baja eliminar eliminarme elimíneme elimíname borrar borrarme bórreme bórrame cancelar desuscribir desuscribirme desuscríbanme
  sácame sáqueme sáquenme sacarme quítame quíteme quítenme elimínenme elimine elimina bórrenme desuscripción supresión oposición basta alto pare paren
  disiscrivere disiscrivermi disiscrivimi disiscrizione cancellare cancellami cancellatemi cancellazione rimuovere rimuovimi rimuovetemi
  cancella cancellate rimuovi toglimi toglietemi togliermi tolgami disiscrizioni rimozione disdetta smettere smettetela
  uitschrijven uitschrijving afmelden afmelding verwijderen verwijder verwijdering opzeggen bezwaar
  descadastrar descadastro descadastre remover remova remova-me remover-me retirar retire tire-me tirem-me exclua-me excluir exclua exclusão parar parem cancelamento
  wypisz wypisać wypisanie usuń usunąć usunięcie usuńcie wykreślić wykreślcie rezygnuję rezygnacja sprzeciw koniec rezygnujemy przestańcie
  avregistrera avregistrering avprenumerera avsluta avanmäl stoppa afmeld frameld avmeld avslutt lopeta poista peruuta
  odhlásit odhlaste odhlásiť zrušit zrušiť smazat smažte vymazat leiratkozás leiratkozom töröljön dezabonare dezabonați dezabonează
  odjava odjavi odjavite durdur durdurun iptal çıkar çıkarın
  стоп отписаться отписка отпишите отмена удалите удалить хватит прекратите видаліть відписатися відписка досить припиніть отпишете отписване
  διαγραφή απεγγραφή σταματήστε הסר הסרה הסירו עצור توقف توقفوا الغاء إلغاء
`);

/** What stands beside them without changing what they say: courtesy, who is meant, and from what. */
export const BESIDE = words(`
  please pls plz kindly pleae thanks thank you thx ty cheers regards best sincerely now immediately asap today once all any me us my our i we
  i'd we'd i'm to be want would like wish request ask and from of off out opt the this that these your it list lists mailing email emails e-mail
  e-mails mail mails address addresses newsletter newsletters database data details contact contacts contacting sending messages message
  number name again for good ever just at everything subscription hi hello hey dear sir madam team there
  suscripción inscripción inscripciones abonnement abo subskrypcję subskrypcji assinatura inscrição iscrizione nehmt nehmen nimm
  bitte danke vielen dank doch endlich sie mich mir uns mein meine meinen meiner meines unser unsere sie ihr ihre ihrem ihren ihrer aus von vom der die das den
  dem des liste verteiler daten adresse sofort umgehend jetzt um eine einen gruß grüße gruss mfg hallo guten tag hiermit ich wir
  svp merci s'il vous plaît te plait moi nous me mon ma mes nos de du la le les vos votre cette liste données adresse immédiatement
  cordialement bonjour d'avance je demande
  por favor gracias mi mis nos dar dame deme denme darme darnos de la las los lista datos correo correos su sus tu inmediatamente saludos hola
  buenos días quiero solicito pido
  per favore grazie mi mio mia miei dalla dal dei lista dati vostra tua subito saluti buongiorno salve chiedo la il di
  alstublieft alsjeblieft aub a.u.b graag mij me mijn uit van het de een lijst gegevens dank bedankt groet groeten direct wil ik
  obrigado obrigada meu meus minha da do das dos dados imediatamente quero peço olá
  proszę dziękuję mnie moje mój z ze listy dane adres natychmiast o
  tack snälla mig meg jag jeg fra från listan listen vennligst venligst takk tak kiitos prosím děkuji ďakujem kérem köszönöm vă rog mulțumesc molim hvala lütfen teşekkürler beni listeden
  abonelikten пожалуйста спасибо меня мой из списка рассылки от рассылку данные будь ласка дякую мене зі παρακαλώ ευχαριστώ בבקשה תודה
  من فضلك شكرا الاشتراك
`);

/** Where words have no blanks between them: what a short answer holds that stops mails. */
export const STOP_SIGNS =
  /退订|退訂|取消订阅|取消訂閱|停止发送|停止發送|停止联系|停止聯絡|不要再|别再|請勿再|请勿再|拉黑|配信停止|配信解除|配信を停止|送らないで|連絡しないで|登録解除|退会|削除して|やめて|수신 ?거부|구독 ?취소|구독 ?해지|연락하지|보내지 ?마|그만|ยกเลิกการ|หยุดส่ง/u;

/** Words of one letter more or less that are none of them. */
export const LOOKALIKES = words(`
  top sop stoop step shop stops steps remote remotes relate deletes subscribe subscribed subscriber subscribers subscription easing cease-fire
  anmelden anmeldung aanmelden aanmelding anmeld anmäl shoppen auftragen sprechen lease crease release alt alta baha caja bata pasta vasta haja bajo bajas pared parece para
`);
