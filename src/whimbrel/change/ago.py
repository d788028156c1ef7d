"""How languages say how long ago something was: what stands before the number, and after it.

From the date fields of Unicode CLDR 47 (past tense, all widths; Unicode License v3), as Babel 2.18 gives them, for
forty languages that much of the web is written in; and what Portuguese and Arabic write besides.
"""

from collections.abc import Mapping

PAST: Mapping[str, str] = {
    "": (
        "seconds ago|second ago|sec. ago|s ago|minutes ago|minute ago|min. ago|m ago|hours ago|hour ago|hr. ago|"
        "h ago|days ago|day ago|d ago|weeks ago|week ago|wk. ago|w ago|months ago|month ago|mo. ago|mo ago|"
        "years ago|year ago|yr. ago|y ago|secondi fa|secondo fa|sec. fa|s fa|minuti fa|minuto fa|min fa|ore fa|"
        "ora fa|h fa|giorni fa|giorno fa|g fa|gg fa|settimane fa|settimana fa|sett. fa|mesi fa|mese fa|anni fa|"
        "anno fa|seconden geleden|seconde geleden|sec. geleden|minuten geleden|minuut geleden|min. geleden|"
        "uur geleden|dagen geleden|dag geleden|dgn geleden|weken geleden|week geleden|maanden geleden|"
        "maand geleden|jaar geleden|sekundy temu|sekundę temu|sekund temu|sek. temu|s temu|minuty temu|"
        "minutę temu|minut temu|min temu|godziny temu|godzinę temu|godzin temu|godz. temu|g. temu|dnia temu|"
        "dzień temu|dni temu|tygodnia temu|tydzień temu|tygodnie temu|tygodni temu|tydz. temu|tyg. temu|"
        "miesiąca temu|miesiąc temu|miesiące temu|miesięcy temu|mies. temu|roku temu|rok temu|lata temu|lat temu|"
        "секунды назад|секунду назад|секунд назад|сек. назад|минуты назад|минуту назад|минут назад|мин. назад|"
        "часа назад|час назад|часов назад|ч назад|дня назад|день назад|дней назад|дн. назад|недели назад|"
        "неделю назад|недель назад|нед. назад|месяца назад|месяц назад|месяцев назад|мес. назад|года назад|"
        "год назад|лет назад|г. назад|л. назад|секунди тому|секунду тому|секунд тому|с тому|хвилини тому|"
        "хвилину тому|хвилин тому|хв тому|години тому|годину тому|годин тому|год тому|дня тому|день тому|"
        "дні тому|днів тому|дн. тому|тижня тому|тиждень тому|тижні тому|тижнів тому|тиж. тому|місяця тому|"
        "місяць тому|місяці тому|місяців тому|міс. тому|року тому|рік тому|роки тому|років тому|р. тому|"
        "másodperccel ezelőtt|m.perce|perccel ezelőtt|perce|órával ezelőtt|órája|nappal ezelőtt|napja|"
        "héttel ezelőtt|hete|hónappal ezelőtt|hónapja|évvel ezelőtt|éve|δ. πριν|λ. πριν|ώ. πριν|ημ. πριν|"
        "εβδ. πριν|μ. πριν|έτος πριν|έτη πριν|saniye önce|sn. önce|dakika önce|dk. önce|saat önce|sa. önce|"
        "gün önce|hafta önce|hf. önce|ay önce|yıl önce|sek. siden|min. siden|time siden|timer siden|dag siden|"
        "dage siden|uge siden|uger siden|md. siden|mdr. siden|år siden|sekuntia sitten|sekunti sitten|s sitten|"
        "minuuttia sitten|minuutti sitten|min sitten|tuntia sitten|tunti sitten|t sitten|päivää sitten|"
        "päivä sitten|pv sitten|viikkoa sitten|viikko sitten|vk sitten|kuukautta sitten|kuukausi sitten|"
        "kk sitten|vuotta sitten|vuosi sitten|v sitten|sekundi eest|sek eest|s eest|minuti eest|min eest|"
        "tunni eest|t eest|päeva eest|p eest|nädala eest|näd eest|kuu eest|k eest|aasta eest|a eest|秒前|分前|"
        "時間前|日前|週間前|か月前|年前|秒钟前|分钟前|小时前|天前|周前|个月前|分鐘前|小時前|週前|個月前|초 전|"
        "분 전|시간 전|일 전|주 전|개월 전|년 전|giây trước|phút trước|giờ trước|ngày trước|tuần trước|"
        "tháng trước|năm trước|วินาทีที่ผ่านมา|วินาทีที่แล้ว|นาทีที่ผ่านมา|นาทีที่แล้ว|ชั่วโมงที่ผ่านมา|"
        "ชม. ที่แล้ว|วันที่ผ่านมา|วันที่แล้ว|สัปดาห์ที่ผ่านมา|สัปดาห์ที่แล้ว|เดือนที่ผ่านมา|เดือนที่แล้ว|"
        "ปีที่แล้ว|detik yang lalu|dtk lalu|menit yang lalu|mnt lalu|jam yang lalu|jam lalu|hari yang lalu|"
        "h lalu|minggu yang lalu|mgg lalu|bulan yang lalu|bln lalu|tahun yang lalu|thn lalu|saat lalu|minit lalu|"
        "min lalu|hari lalu|minggu lalu|mgu lalu|bulan lalu|tahun lalu|सेकंड पहले|से॰ पहले|मिनट पहले|मि॰ पहले|"
        "घंटे पहले|घं॰ पहले|दिन पहले|सप्ताह पहले|माह पहले|वर्ष पहले|সেকেন্ড পূর্বে|সেকেন্ড আগে|মিনিট আগে|"
        "ঘন্টা আগে|দিন আগে|সপ্তাহ আগে|মাস আগে|বছর পূর্বে|ثانیه پیش|دقیقه پیش|ساعت پیش|روز پیش|هفته پیش|ماه پیش|"
        "سال پیش|segundos atrás|segundo atrás|minutos atrás|minuto atrás|horas atrás|hora atrás|dias atrás|dia atrás|"
        "semanas atrás|semana atrás|meses atrás|mês atrás|anos atrás|ano atrás"
    ),
    "vor": (
        "sekunden|sekunde|sek.|s|minuten|minute|min.|m|stunden|stunde|std.|tagen|tag|wochen|woche|wo.|monaten|"
        "monat|jahren|jahr"
    ),
    "il y a": (
        "secondes|seconde|s|minutes|minute|min|heures|heure|h|jours|jour|j|semaines|semaine|sem.|mois|m.|ans|an|a"
    ),
    "hace": (
        "segundos|segundo|s|minutos|minuto|min|horas|hora|h|días|día|d|semanas|semana|sem.|meses|mes|m|años|año|a"
    ),
    "há": ("segundos|segundo|seg.|minutos|minuto|min.|horas|hora|h|dias|dia|semanas|semana|sem.|meses|mês|anos|ano"),
    "před": (
        "sekundami|sekundou|sekundy|s|minutami|minutou|minuty|min|hodinami|hodinou|hodiny|h|dny|dnem|dne|týdny|"
        "týdnem|týdne|týd.|měsíci|měsícem|měsíce|měs.|lety|rokem|roku|r.|l."
    ),
    "pred": (
        "sekundami|sekundou|sekundy|s|minútami|minútou|minúty|min|hodinami|hodinou|h|dňami|dňom|dňa|d.|týždňami|"
        "týždňom|týždňa|týž.|mesiacmi|mesiacom|mesiaca|mes.|rokmi|rokom|roka|r.|sekundo|sekundama|minutami|"
        "minuto|minutama|min.|urami|uro|urama|dnevi|dnevom|dnevoma|tedni|tednom|tednoma|ted.|meseci|mesecem|"
        "mesecema|leti|letom|letoma"
    ),
    "acum": (
        "de secunde|secundă|secunde|sec.|de minute|minut|minute|min.|de ore|oră|ore|h|de zile|zi|zile|"
        "de săptămâni|săptămână|săptămâni|săpt.|de luni|lună|luni|de ani|an|ani"
    ),
    "преди": (
        "секунди|секунда|сек|минути|минута|мин|часа|час|ч|дни|ден|седмици|седмица|седм.|месеца|месец|м.|години|"
        "година|г."
    ),
    "пр.": ("сек|мин|ч|д|седм.|м.|г."),
    "πριν από": (
        "δευτερόλεπτα|δευτερόλεπτο|δευτ.|λεπτά|λεπτό|λεπ.|ώρες|ώρα|ώ.|ημέρες|ημέρα|ημ.|εβδομάδες|εβδομάδα|εβδ.|"
        "μήνες|μήνα|έτη|έτος"
    ),
    "för": (
        "sekunder sedan|sekund sedan|s sen|minuter sedan|minut sedan|min sen|timmar sedan|timme sedan|tim sedan|"
        "dagar sedan|dag sedan|d sedan|veckor sedan|vecka sedan|v. sedan|månader sedan|månad sedan|mån. sen|"
        "år sedan|år sen"
    ),
    "for": (
        "sekunder siden|sekund siden|minutter siden|minut siden|timer siden|time siden|dage siden|dag siden|"
        "uger siden|uge siden|måneder siden|måned siden|år siden|sek siden|minutt siden|min siden|t siden|"
        "døgn siden|d. siden|uker siden|uke siden|u. siden|md. siden"
    ),
    "pirms": (
        "sekundēm|sekundes|sek.|s|minūtēm|minūtes|min.|min|stundām|stundas|st.|h|dienām|dienas|d.|nedēļām|"
        "nedēļas|ned.|mēnešiem|mēneša|mēn.|gadiem|gada|g."
    ),
    "prieš": (
        "sekundžių|sekundę|sekundes|sekundės|sek.|s|minučių|minutę|minutes|minutės|min.|valandų|valandą|valandas|"
        "valandos|val.|dienų|dieną|dienas|dienos|d.|savaičių|savaitę|savaites|savaitės|sav.|mėnesių|mėnesį|"
        "mėnesius|mėnesio|mėn.|metų|metus|m."
    ),
    "prije": (
        "sekundi|sekundu|sekunde|s|minuta|minutu|minute|min|sati|sat|sata|h|dana|dan|d|tjedana|tjedan|tjedna|tj.|"
        "mjeseci|mjesec|mjeseca|mj.|godina|godinu|godine|g."
    ),
    "пре": (
        "секунди|секунде|сек.|с.|минута|мин.|сати|сата|ч.|дана|д.|недеља|недеље|нед.|н.|месеци|месеца|мес.|м.|"
        "година|године|год.|г."
    ),
    "fa": ("segons|segon|s|minuts|minut|min|hores|hora|h|dies|dia|setmanes|setmana|setm.|mesos|mes|anys|any"),
    "قبل": ("ثانية|ثوانِ|ثوانٍ|دقيقة|دقائق|ساعة|ساعات|يوم|أيام|يومًا|أسبوع|أسابيع|أسبوعًا|شهر|أشهر|شهرًا|سنة|سنوات"),
    "منذ": ("ثانية|ثوانِ|ثوانٍ|دقيقة|دقائق|ساعة|ساعات|يوم|أيام|يومًا|أسبوع|أسابيع|أسبوعًا|شهر|أشهر|شهرًا|سنة|سنوات"),
    "לפני": ("שניות|שנ׳|דקות|דק׳|שעות|שע׳|ימים|שבועות|שב׳|חודשים|חו׳|שנים"),
}
