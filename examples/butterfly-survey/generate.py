#!/usr/bin/env python3
"""Makes a package like this one with as many sightings as are asked for, in surveys of 20 each.

usage: generate.py FOLDER [SIGHTINGS]

1,000,000 sightings where no number is given; 30,000,000 take 4 GB in FOLDER and 20 GB in the room.
The same number gives the same files. Then: shared package install FOLDER"""

import csv
import json
import os
import random
import shutil
import sys

OF_SURVEY = 20
OF_FILE = 1_000_000  # sightings of one file: an import takes 200 MiB

here = os.path.dirname(os.path.abspath(__file__))


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = sys.argv[1]
    wanted = int(sys.argv[2]) if len(sys.argv) == 3 else 1_000_000
    os.makedirs(os.path.join(folder, "data"))
    for part in ("forms", "lists"):
        shutil.copytree(os.path.join(here, part), os.path.join(folder, part))
    shutil.copy(os.path.join(here, "views.json"), folder)
    with open(os.path.join(here, "lists/species.csv")) as file:
        species = [(row["name"], row["region"]) for row in csv.DictReader(file)]
    chance = random.Random(wanted)
    surveys, sightings = [], []
    for part in range(0, wanted, OF_FILE):
        count = min(OF_FILE, wanted - part)
        number = part // OF_FILE + 1
        surveys.append(f"data/survey-{number}.csv")
        sightings.append(f"data/sighting-{number}.csv")
        write(folder, surveys[-1], sightings[-1], part // OF_SURVEY, count, species, chance)
    with open(os.path.join(here, "package.json")) as file:
        package = json.load(file)
    package["data"] = {"survey": surveys, "survey/sighting": sightings}
    with open(os.path.join(folder, "package.json"), "w") as file:
        json.dump(package, file, indent=2)


def write(folder, survey_path, sighting_path, first, count, species, chance):
    with open(os.path.join(folder, survey_path), "w") as surveys, \
            open(os.path.join(folder, sighting_path), "w") as sightings:
        surveys.write("KEY,protocol,region,site,started,stopped,surveyor,expertise,position\n")
        sightings.write("PARENT_KEY,precision,species,tally,habitat,behaviour,certainty,comment\n")
        for number in range(first, first + (count + OF_SURVEY - 1) // OF_SURVEY):
            region = chance.choice(("lowland", "mountain"))
            here = [name for name, at in species if at == region]
            day = f"{2000 + number % 26}-{4 + number // 26 % 6:02}-{1 + number // 156 % 28:02}"
            protocol = chance.choice(("presence", "meandering", "individual"))
            surveys.write(
                f"g{number},{protocol},{region},"
                f"site {number % 5000},{day}T10:00:00+00:00,{day}T11:30:00+00:00,"
                f"surveyor {number % 300},trained,"
                f"{46 + chance.random() * 2:.4f} {7 + chance.random() * 3:.4f}\n")
            for row in range(min(OF_SURVEY, count)):
                sightings.write(
                    f"g{number},species,{chance.choice(here)},{chance.randint(1, 12)},"
                    f"{chance.choice(('meadow', 'wood', 'wetland', 'garden'))},"
                    f"{chance.choice(('nectaring', 'basking', 'perching basking', ''))},"
                    f"certain,seen {number * OF_SURVEY + row}\n")
            count -= OF_SURVEY


if __name__ == "__main__":
    main()
