"""The words of the simulated microblog: six themes, their hashtags, words that fit everywhere, and invented names."""

from __future__ import annotations

THEMES: dict[str, str] = {
    "sport": (
        "match goal team league season coach player score win final striker keeper penalty referee stadium fans "
        "cup training injury transfer captain defender midfield tackle race sprint marathon medal record champion "
        "tennis serve court volley golf swing cycling stage climb rugby try scrum cricket wicket batting innings "
        "boxing round"
    ),
    "music": (
        "album song guitar band concert singer tour chorus melody drums bass piano vinyl lyrics studio festival "
        "stage encore playlist single jazz rhythm chord violin orchestra choir opera soul groove beat remix "
        "producer label acoustic solo duet ballad tune harmony tempo microphone amplifier cello trumpet saxophone "
        "debut soundtrack folk"
    ),
    "finance": (
        "market stock shares bank rate bond inflation profit earnings investor price fund debt loan budget "
        "currency trading growth index portfolio dividend yield broker credit mortgage savings interest hedge "
        "futures commodity gold oil export deficit quarter revenue forecast valuation merger audit capital asset "
        "liquidity recession rally slump pension tax"
    ),
    "politics": (
        "election vote senate minister campaign parliament policy debate candidate party law reform poll "
        "president council mayor coalition treaty budgetary bill amendment speech congress governor ballot "
        "turnout democracy referendum cabinet opposition committee majority veto lobby constitution court "
        "sanctions border welfare union strike protest diplomat embassy alliance summit manifesto citizen"
    ),
    "science": (
        "study cells planet experiment theory physics genome telescope galaxy research climate species fossil "
        "protein vaccine laboratory molecule quantum particle evolution orbit brain neuron ocean glacier bacteria "
        "virus chemistry microscope asteroid gravity sample hypothesis journal enzyme ecosystem mammal volcano "
        "carbon isotope reaction crystal laser spectrum radiation tissue nerve comet"
    ),
    "tech": (
        "app software phone data code cloud server startup update battery screen browser robot chip laptop "
        "network developer release bug security password camera device keyboard platform algorithm database "
        "hardware gadget sensor wireless router download interface pixel drone headset printer processor storage "
        "encryption website tablet domain plugin firmware beta backup"
    ),
}
HASHTAGS: dict[str, str] = {
    "sport": "sport football matchday running cycling tennis fitness",
    "music": "music nowplaying livemusic jazz newalbum vinyl festival",
    "finance": "finance stocks investing markets economy banking trading",
    "politics": "politics election vote democracy parliament policy debate",
    "science": "science space physics biology climate research astronomy",
    "tech": "tech software coding gadgets cloud startup security",
}
EVERYWHERE = (
    "today people great good new time week year best big first last news world day night morning story talk "
    "read watch love hope thanks amazing early late long live better real city home friends weekend photo "
    "video question idea plan start end half full next place moment line"
)
GLUE = ("the", "and", "of", "a", "in", "for", "with", "is", "on", "about")
NAMES = (
    "ada ben cleo dan eve finn gus hana ivo jo kit lea max nia oli pia quin ros sam tess ugo val wes xia yan "
    "zoe abe bea cy dot"
)
