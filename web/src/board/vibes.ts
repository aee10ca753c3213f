import { hasSign } from "./sprites";

/** The engine's default vibes with their symbols. */
const SYMBOLS = new Map(
  `
default=😐 junction=🔋 carbon_a=⚫ carbon_b=⬛ oxygen_a=⚪ oxygen_b=⬜ germanium_a=🟣 germanium_b=🟪 silicon_a=🟠
silicon_b=🟧 heart_a=❤️ heart_b=💟 gear=⚙️ hub=⭐ chest=📦 wall=⬛ paperclip=📎 up=⬆️ down=⬇️ left=⬅️ right=➡️
up-right=↗️ down-right=↘️ down-left=↙️ up-left=↖️ rotate=🔂 swords=⚔️ shield=🛡️ wrench=🔧 money=💰 factory=🏭
lightning=⚡ fire=🔥 water=💧 tree=🌳 rotate-clockwise=🔃 compass=🧭 pin=📍 pushpin=📌 diamond=💎 coin=🪙 oil=🛢️
fuel=⛽ wheat=🌾 corn=🌽 carrot=🥕 rock=🪨 mountain=⛰️ wood=🪵 wave=🌊 dagger=🗡️ bow=🏹 hammer=🔨 alembic=⚗️
test-tube=🧪 package=📦 backpack=🎒 zero=0️⃣ one=1️⃣ two=2️⃣ three=3️⃣ four=4️⃣ five=5️⃣ six=6️⃣ seven=7️⃣
eight=8️⃣ nine=9️⃣ ten=🔟 hash=#️⃣ asterisk=*️⃣ plus=➕ minus=➖ multiply=✖️ divide=➗ hundred=💯 numbers=🔢
red-heart=❤️ orange-heart=🧡 yellow-heart=💛 green-heart=💚 blue-heart=💙 purple-heart=💜 white-heart=🤍
black-heart=🖤 brown-heart=🤎 two-hearts=💕 sparkling-heart=💖 growing-heart=💗 heart-arrow=💘 heart-ribbon=💝
revolving-hearts=💞 heart-decoration=💟 broken-heart=💔 heart-exclamation=❣️ love-letter=💌 grinning=😀
grinning-big-eyes=😃 grinning-smiling-eyes=😄 beaming=😁 smiling=😊 halo=😇 heart-eyes=😍 star-struck=🤩 kiss=😘
tears-of-joy=😂 rofl=🤣 squinting=😆 crying=😢 sobbing=😭 crying-cat=😿 angry=😠 pouting=😡 swearing=🤬 fearful=😨
anxious=😰 monocle=🧐 confused=😕 sleepy=😪 yawning=🥱 drooling=🤤 savoring=😋 smirking=😏 rolling-eyes=🙄 clown=🤡
ghost=👻 moai=🗿 skull-crossbones=☠️ chart-up=📈 chart-down=📉 rocket=🚀 target=🎯 red-circle=🔴 orange-circle=🟠
yellow-circle=🟡 green-circle=🟢 blue-circle=🔵 purple-circle=🟣 brown-circle=🟤 black-circle=⚫ white-circle=⚪
orange-square=🟧 yellow-square=🟨 purple-square=🟪 brown-square=🟫 white-square=⬜ red-triangle=🔺
blue-diamond=🔷 small-blue-diamond=🔹 plug=🔌 sparkle=✦ light-shade=░ medium-shade=▒
`
    .trim()
    .split(/\s+/)
    .map((entry) => entry.split("=") as [string, string]),
);

/** Return the name of a vibe's drawing: one of our signs, its symbol, or its initials. */
export function vibeSprite(name: string): string {
  const plain = name.replace(/_[ab]$/, "");
  if (hasSign(plain)) return `sign:${plain}`;
  const symbol = SYMBOLS.get(name);
  return symbol ? `emoji:${symbol}` : `sign:${name}`;
}
